package outbox.inbox;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Formats of messages that several brokers and HTTP have in common. Stateless, thread-safe. */
public final class MessageFormats {
    /** Prefix of headers with the attributes of a CloudEvent. */
    public static final String CLOUD_EVENT = "ce_";

    private static final String STRUCTURED = "application/cloudevents+json";

    private MessageFormats() {}

    /** Whether a content type is that of a CloudEvent in structured mode, in JSON. */
    public static boolean isStructuredCloudEvent(@Nullable String contentType) {
        return contentType != null
                && contentType.strip().toLowerCase(Locale.ROOT).startsWith(STRUCTURED);
    }

    /**
     * A CloudEvent in structured mode: its data as payload, its attributes as headers {@code ce_…}.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static InboxMessage.Builder structuredCloudEvent(byte[] body) {
        Map<String, String> members = JsonMembers.of(new String(body, StandardCharsets.UTF_8));
        Map<String, String> headers = new LinkedHashMap<>();
        members.forEach((name, json) -> {
            if (!name.equals("data") && !name.equals("data_base64") && !json.equals("null")) {
                String text = JsonMembers.string(json);
                headers.put(CLOUD_EVENT + name, text == null ? json : text);
            }
        });
        InboxMessage.Builder message = cloudEvent(headers);
        String base64 = JsonMembers.string(members.get("data_base64"));
        String data = members.get("data");
        if (base64 != null) {
            message.payload(Base64.getDecoder().decode(base64));
        } else if (data != null) {
            message.payload(data);
        }
        return message;
    }

    /**
     * A message with the attributes of a CloudEvent.
     *
     * @param headers with attributes by the prefix {@value #CLOUD_EVENT}
     * @throws IllegalArgumentException if a required attribute is missing
     */
    public static InboxMessage.Builder cloudEvent(Map<String, String> headers) {
        String id = required(headers, "id");
        String source = required(headers, "source"); // an id is unique within its source only
        InboxMessage.Builder message = InboxMessage.builder(required(headers, "type"))
                .id(source + "/" + id)
                .key(headers.getOrDefault(CLOUD_EVENT + "partitionkey", headers.get(CLOUD_EVENT + "subject")))
                .tenantId(headers.get(CLOUD_EVENT + "tenantid"))
                .headers(headers);
        for (String trace : new String[] {"traceparent", "tracestate"}) {
            String value = headers.get(CLOUD_EVENT + trace);
            if (value != null && !headers.containsKey(trace)) {
                message.header(trace, value);
            }
        }
        return message;
    }

    /** Whether there are the headers of a CloudEvent in binary mode, by the prefix {@value #CLOUD_EVENT}. */
    public static boolean isCloudEvent(Map<String, String> headers) {
        return headers.containsKey(CLOUD_EVENT + "id") && headers.containsKey(CLOUD_EVENT + "type");
    }

    private static String required(Map<String, String> headers, String attribute) {
        String value = headers.get(CLOUD_EVENT + attribute);
        if (value == null || value.isBlank()) {
            throw new IllegalArgumentException("the CloudEvent has no " + attribute);
        }
        return value;
    }

    /**
     * The body that the Standard Webhooks specification recommends, {@code {"type":…,"timestamp":…,"data":…}}: {@code data} is
     * the payload.
     *
     * @return {@code null} if the body has another form
     */
    public static InboxMessage.@Nullable Builder standardWebhook(byte[] body) {
        try {
            Map<String, String> members = JsonMembers.of(new String(body, StandardCharsets.UTF_8));
            String type = JsonMembers.string(members.get("type"));
            return type == null || !members.containsKey("data")
                    ? null
                    : InboxMessage.builder(type).payload(Objects.requireNonNull(members.get("data")));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
