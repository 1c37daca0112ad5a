package outbox.inbox.webhook;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.inbox.Inbox;
import outbox.inbox.InboxMessage;
import outbox.inbox.InvalidMessageException;
import outbox.inbox.MessageFailedException;
import outbox.inbox.MessageFormats;
import outbox.inbox.Receipt;
import outbox.jdbc.OutboxStoreException;
import outbox.util.FailureLog;
import outbox.webhook.WebhookVerificationException;
import outbox.webhook.WebhookVerifier;

/**
 * Brings signed webhooks into an {@link Inbox}: verifies the signature, receives the message by its {@code webhook-id}, and
 * says what to answer. {@link WebhookServlet} and the starter call it; with another web framework, call it yourself.
 * Thread-safe.
 *
 * <pre>{@code
 * WebhookReceiver receiver = WebhookReceiver.of(inbox, WebhookVerifier.of(WebhookSecret.parse(secret)));
 * WebhookAnswer answer = receiver.receive(request::getHeader, request.getInputStream().readAllBytes());
 * }</pre>
 *
 * <p>The body may be of the form that Standard Webhooks recommend, or a CloudEvent in binary or structured mode. Any other
 * body is the payload of a message of the default type.
 */
public final class WebhookReceiver {
    /** Beside the payload, a body holds the attributes of its format. */
    public static final int MAX_BODY_BYTES = EventEnvelope.MAX_PAYLOAD_BYTES + 64 * 1024;

    /** The type of bodies that name none, unless {@link #withType} says another. */
    public static final String DEFAULT_TYPE = "webhook";

    /** How many messages may wait before requests are answered with 503. */
    public static final int DEFAULT_MAX_PENDING = 100_000;

    private static final Logger LOG = System.getLogger(WebhookReceiver.class.getName());
    private static final int RETRY_SECONDS = 5;
    private static final long PENDING_CHECK_NANOS = Duration.ofSeconds(1).toNanos();
    private static final String[] CLOUD_EVENT_HEADERS = {
        "id",
        "source",
        "type",
        "subject",
        "partitionkey",
        "tenantid",
        "time",
        "specversion",
        "traceparent",
        "tracestate"
    };

    private final Inbox inbox;
    private final WebhookVerifier verifier;
    private final String source;
    private final String type;
    private final int maxPending;
    private final FailureLog failures;
    private volatile long pendingCheckedAt = System.nanoTime() - PENDING_CHECK_NANOS;
    private volatile boolean full;

    private WebhookReceiver(Inbox inbox, WebhookVerifier verifier, String source, String type, int maxPending) {
        this.inbox = inbox;
        this.verifier = verifier;
        this.source = source;
        this.type = type;
        this.maxPending = maxPending;
        this.failures = new FailureLog(LOG, Level.WARNING, "the inbox of webhooks of " + source);
    }

    public static WebhookReceiver of(Inbox inbox, WebhookVerifier verifier) {
        return new WebhookReceiver(
                Objects.requireNonNull(inbox, "inbox"),
                Objects.requireNonNull(verifier, "verifier"),
                "webhook",
                DEFAULT_TYPE,
                DEFAULT_MAX_PENDING);
    }

    /** The same with a name for where the webhooks come from; default {@code webhook}. */
    public WebhookReceiver withSource(String source) {
        return new WebhookReceiver(inbox, verifier, Objects.requireNonNull(source, "source"), type, maxPending);
    }

    /** The same with another type for bodies that name none. */
    public WebhookReceiver withType(String type) {
        return new WebhookReceiver(inbox, verifier, source, Objects.requireNonNull(type, "type"), maxPending);
    }

    /** The same with another limit: while this many messages wait, requests are answered with 503. */
    public WebhookReceiver withMaxPending(int maxPending) {
        if (maxPending <= 0) {
            throw new IllegalArgumentException("maxPending must be positive: " + maxPending);
        }
        return new WebhookReceiver(inbox, verifier, source, type, maxPending);
    }

    /**
     * Never throws: a sender that gets an error sends the webhook again.
     *
     * @param headers the value of a header by its lower-case name, {@code null} if there is none
     * @param body the raw bytes; one more than {@link #MAX_BODY_BYTES} are enough to refuse it
     */
    public WebhookAnswer receive(Function<String, @Nullable String> headers, byte[] body) {
        if (body.length > MAX_BODY_BYTES) {
            return new WebhookAnswer(413, "the body is larger than " + MAX_BODY_BYTES + " bytes");
        }
        try {
            String id = verifier.verify(headers, body);
            if (isFull()) {
                return new WebhookAnswer(503, "too many messages wait", RETRY_SECONDS);
            }
            Receipt receipt = inbox.receive(messageOf(id, headers, body));
            failures.succeeded();
            return new WebhookAnswer(
                    receipt == Receipt.RECEIVED ? 202 : 200, receipt.name().toLowerCase(Locale.ROOT));
        } catch (WebhookVerificationException e) {
            return new WebhookAnswer(401, String.valueOf(e.getMessage()));
        } catch (InvalidMessageException e) {
            return new WebhookAnswer(400, "the webhook cannot be stored");
        } catch (MessageFailedException e) {
            failures.failed("a webhook of " + source + " failed; its sender tries it again", e);
            return new WebhookAnswer(500, "the webhook could not be handled");
        } catch (OutboxStoreException e) {
            failures.failed("a webhook of " + source + " could not be stored; its sender tries it again", e);
            return new WebhookAnswer(503, "the webhook could not be stored", RETRY_SECONDS);
        } catch (RuntimeException e) {
            failures.failed("a webhook of " + source + " was not received; its sender tries it again", e);
            return new WebhookAnswer(500, "the webhook was not received");
        }
    }

    private InboxMessage messageOf(String id, Function<String, @Nullable String> headers, byte[] body) {
        InboxMessage.Builder message = builderOf(headers, body);
        for (String trace : new String[] {"traceparent", "tracestate"}) {
            String value = headers.apply(trace);
            if (value != null) {
                message.header(trace, value);
            }
        }
        return message.id(id).source(source).build();
    }

    private InboxMessage.Builder builderOf(Function<String, @Nullable String> headers, byte[] body) {
        if (MessageFormats.isStructuredCloudEvent(headers.apply("content-type"))) {
            try {
                return MessageFormats.structuredCloudEvent(body);
            } catch (IllegalArgumentException e) { // signed, so its sender means it: a dead letter shows it
                return InboxMessage.builder(type).payload(body);
            }
        }
        Map<String, String> attributes = cloudEventHeaders(headers);
        if (MessageFormats.isCloudEvent(attributes)) {
            return MessageFormats.cloudEvent(attributes).payload(body);
        }
        InboxMessage.Builder standard = MessageFormats.standardWebhook(body);
        return standard != null ? standard : InboxMessage.builder(type).payload(body);
    }

    private static Map<String, String> cloudEventHeaders(Function<String, @Nullable String> headers) {
        Map<String, String> attributes = new LinkedHashMap<>();
        for (String name : CLOUD_EVENT_HEADERS) {
            String value = headers.apply("ce-" + name);
            if (value != null) {
                attributes.put(MessageFormats.CLOUD_EVENT + name, percentDecoded(value));
            }
        }
        attributes.computeIfPresent(
                MessageFormats.CLOUD_EVENT + "id",
                (name, value) -> attributes.containsKey(MessageFormats.CLOUD_EVENT + "source") ? value : null);
        return attributes;
    }

    private static String percentDecoded(String value) {
        try {
            return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return value;
        }
    }

    private boolean isFull() {
        long now = System.nanoTime();
        if (now - pendingCheckedAt >= PENDING_CHECK_NANOS) {
            pendingCheckedAt = now;
            full = inbox.pending(maxPending) >= maxPending;
        }
        return full;
    }
}
