package outbox.webhook;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import outbox.EventEnvelope;
import outbox.util.JsonCodec;

/** The body of a request: an event's payload, alone or inside an object with attributes. */
final class PayloadBytes {
    private static final String JSON = "application/json";
    private static final String BYTES = "application/octet-stream";

    private PayloadBytes() {}

    static String contentType(EventEnvelope event) {
        return event.payloadJson() == null ? BYTES : JSON;
    }

    static byte[] alone(EventEnvelope event) {
        byte[] bytes = event.payloadBytes();
        return bytes != null ? bytes : json(event).getBytes(StandardCharsets.UTF_8);
    }

    /** JSON payloads become the member {@code data}, bytes the member {@code data_base64}. */
    static byte[] inside(Map<String, String> attributes, EventEnvelope event) {
        String object = Objects.requireNonNull(JsonCodec.getDefault().toJson(attributes));
        byte[] bytes = event.payloadBytes();
        String data = bytes == null
                ? ",\"data\":" + json(event)
                : ",\"data_base64\":\"" + Base64.getEncoder().encodeToString(bytes) + "\"";
        return (object.substring(0, object.length() - 1) + data + "}").getBytes(StandardCharsets.UTF_8);
    }

    static byte[] standard(EventEnvelope event) {
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put("type", event.eventType());
        attributes.put("timestamp", event.occurredAt().toString());
        return inside(attributes, event);
    }

    private static String json(EventEnvelope event) {
        return Objects.requireNonNull(event.payloadJson());
    }
}
