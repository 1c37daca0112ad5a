package outbox.alert;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.util.Ulid;
import outbox.webhook.WebhookClient;
import outbox.webhook.WebhookSecret;

/**
 * Makes the channels that are HTTP requests. All go through one {@link WebhookClient}, whose guard keeps them away from the
 * own machine and the own network unless it was told otherwise. Thread-safe.
 *
 * <pre>{@code
 * AlertChannels channels = new AlertChannels(WebhookClient.builder().build());
 * AlertChannel room = channels.dingTalk(URI.create(robotUrl), robotSecret);
 * }</pre>
 */
public final class AlertChannels {
    private static final Pattern ERRCODE = Pattern.compile("\"errcode\"\\s*:\\s*(-?\\d+)");
    private static final Pattern CODE = Pattern.compile("\"(?:code|StatusCode)\"\\s*:\\s*(-?\\d+)");

    private final WebhookClient client;
    private final InstantSource clock;

    public AlertChannels(WebhookClient client) {
        this(client, InstantSource.system());
    }

    /** @param clock gives the time that is signed */
    public AlertChannels(WebhookClient client, InstantSource clock) {
        this.client = Objects.requireNonNull(client, "client");
        this.clock = Objects.requireNonNull(clock, "clock");
    }

    /** A robot of DingTalk that mentions nobody, see {@link #dingTalk(URI, String, Mentions)}. */
    public AlertChannel dingTalk(URI url, @Nullable String secret) {
        return dingTalk(url, secret, Mentions.NONE);
    }

    /**
     * A robot of DingTalk.
     *
     * @param url the robot's webhook, with its access token
     * @param secret for robots that are set to signatures; {@code null} for others
     * @throws IllegalArgumentException if no request may go to the URL
     */
    public AlertChannel dingTalk(URI url, @Nullable String secret, Mentions mentions) {
        client.check(url);
        ChatRoom room = new ChatRoom("DingTalk", client);
        return message -> {
            URI signed = url;
            if (secret != null) {
                String timestamp = Long.toString(clock.millis());
                String sign = Hmac.base64(secret, timestamp + "\n" + secret);
                signed = URI.create(url + (url.getRawQuery() == null ? "?" : "&") + "timestamp=" + timestamp + "&sign="
                        + URLEncoder.encode(sign, StandardCharsets.UTF_8));
            }
            Mentions who = mentions.in(message);
            String at = who.equals(Mentions.NONE)
                    ? ""
                    : ",\"at\":{\"atMobiles\":" + Mentions.array(who.mobiles().stream()) + ",\"isAtAll\":" + who.all()
                            + "}";
            room.postCoded(
                    signed,
                    "{\"msgtype\":\"text\",\"text\":" + ChatRoom.json(Map.of("content", message.text() + who.text()))
                            + at + "}",
                    ERRCODE);
        };
    }

    /**
     * A robot of Feishu or Lark.
     *
     * @param secret for robots that check signatures; {@code null} for others
     * @throws IllegalArgumentException if no request may go to the URL
     */
    public AlertChannel feishu(URI url, @Nullable String secret) {
        client.check(url);
        ChatRoom room = new ChatRoom("Feishu", client);
        return message -> {
            String text = message.text().replace('<', '＜'); // <at user_id="all"> in a text is a mention there
            String signature = "";
            if (secret != null) {
                String timestamp = Long.toString(clock.instant().getEpochSecond());
                Map<String, String> fields = new LinkedHashMap<>();
                fields.put("timestamp", timestamp);
                fields.put("sign", Hmac.base64(timestamp + "\n" + secret, "")); // their key is what others sign
                String json = ChatRoom.json(fields);
                signature = json.substring(1, json.length() - 1) + ",";
            }
            room.postCoded(
                    url,
                    "{" + signature + "\"msg_type\":\"text\",\"content\":" + ChatRoom.json(Map.of("text", text)) + "}",
                    CODE);
        };
    }

    /** A robot of WeCom that mentions nobody, see {@link #weCom(URI, Mentions)}. */
    public AlertChannel weCom(URI url) {
        return weCom(url, Mentions.NONE);
    }

    /**
     * A robot of WeCom. It knows no signatures: the key in the URL is the secret.
     *
     * @throws IllegalArgumentException if no request may go to the URL
     */
    public AlertChannel weCom(URI url, Mentions mentions) {
        client.check(url);
        ChatRoom room = new ChatRoom("WeCom", client);
        return message -> {
            Mentions who = mentions.in(message);
            String text = ChatRoom.json(Map.of("content", cut(message.text(), 2000)));
            String mentioned = who.equals(Mentions.NONE)
                    ? ""
                    : ",\"mentioned_mobile_list\":"
                            + Mentions.array(
                                    Stream.concat(who.mobiles().stream(), who.all() ? Stream.of("@all") : Stream.of()));
            room.postCoded(
                    url,
                    "{\"msgtype\":\"text\",\"text\":" + text.substring(0, text.length() - 1) + mentioned + "}}",
                    ERRCODE);
        };
    }

    /** WeCom refuses more bytes than this. */
    private static String cut(String text, int bytes) {
        String kept = text;
        while (kept.getBytes(StandardCharsets.UTF_8).length > bytes) {
            kept = kept.substring(0, kept.offsetByCodePoints(kept.length(), -1));
        }
        return kept.length() == text.length() ? text : kept + "…";
    }

    /**
     * An incoming webhook of Slack. The URL is the secret.
     *
     * @throws IllegalArgumentException if no request may go to the URL
     */
    public AlertChannel slack(URI url) {
        client.check(url);
        ChatRoom room = new ChatRoom("Slack", client);
        return message -> {
            String text =
                    message.text().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
            room.post(url, Map.of(), ChatRoom.json(Map.of("text", text)));
        };
    }

    /**
     * Any receiver, by a request signed as Standard Webhooks says. The body has {@code type} ({@code outbox.alert.problem},
     * {@code .recovery} or {@code .test}), {@code timestamp}, and {@code data} with {@code title}, {@code text} and
     * {@code link}.
     *
     * @throws IllegalArgumentException if no request may go to the URL
     */
    public AlertChannel webhook(URI url, WebhookSecret secret) {
        client.check(url);
        ChatRoom room = new ChatRoom("the webhook", client);
        return message -> {
            Instant now = clock.instant();
            Map<String, String> data = new LinkedHashMap<>();
            data.put("title", message.title());
            data.put("text", message.text());
            data.put("link", message.link() == null ? "" : message.link().toString());
            String kind = message.kind().name().toLowerCase(Locale.ROOT);
            String body = "{\"type\":\"outbox.alert." + kind + "\",\"timestamp\":\"" + now + "\",\"data\":"
                    + ChatRoom.json(data) + "}";
            String id = Ulid.next();
            Map<String, String> headers = new LinkedHashMap<>();
            headers.put("webhook-id", id);
            headers.put("webhook-timestamp", Long.toString(now.getEpochSecond()));
            headers.put("webhook-signature", secret.sign(id, now, body.getBytes(StandardCharsets.UTF_8)));
            room.post(url, headers, body);
        };
    }
}
