package outbox.alert;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import outbox.util.JsonCodec;
import outbox.webhook.WebhookClient;

/** What the HTTP channels have in common: one request, and an answer that must say that all is well. */
final class ChatRoom {
    static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static final int SHOWN = 200;

    private final String service;
    private final WebhookClient client;

    ChatRoom(String service, WebhookClient client) {
        this.service = service;
        this.client = client;
    }

    /** A JSON object of texts. */
    static String json(Map<String, String> fields) {
        return String.valueOf(JsonCodec.getDefault().toJson(fields));
    }

    WebhookClient.Answer post(URI url, Map<String, String> headers, String body) throws IOException {
        try {
            WebhookClient.Answer answer = client.post(url, headers, body.getBytes(StandardCharsets.UTF_8), TIMEOUT)
                    .toCompletableFuture()
                    .get(TIMEOUT.toMillis() + 5000, TimeUnit.MILLISECONDS);
            if (answer.status() < 200 || answer.status() >= 300) {
                throw new IOException(service + " answered " + answer.status() + said(answer));
            }
            return answer;
        } catch (ExecutionException | CompletionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IOException(service + " cannot be reached: " + cause.getMessage(), cause);
        } catch (TimeoutException e) {
            throw new IOException(service + " did not answer within " + TIMEOUT.toSeconds() + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while " + service + " was asked", e);
        }
    }

    /** These services say 200 to everything; whether it worked is a number in the body. */
    void postCoded(URI url, String body, Pattern code) throws IOException {
        WebhookClient.Answer answer = post(url, Map.of(), body);
        Matcher found = code.matcher(answer.body());
        if (!found.find() || !found.group(1).equals("0")) {
            throw new IOException(service + " refused the message" + said(answer));
        }
    }

    private static String said(WebhookClient.Answer answer) {
        String text = answer.body().replaceAll("\\p{Cntrl}+", " ").strip();
        return text.isEmpty() ? "" : ": " + (text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…");
    }
}
