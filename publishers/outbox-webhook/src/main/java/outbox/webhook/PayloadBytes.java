package outbox.webhook;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import outbox.EventEnvelope;
import outbox.EventEnvelope.PayloadForm;
import outbox.PayloadHeaders;
import outbox.util.JsonCodec;

/** The body of a request: an event's payload, alone or inside an object with attributes. */
final class PayloadBytes {
    private PayloadBytes() {}

    static String contentType(EventEnvelope event) {
        return PayloadHeaders.contentType(event);
    }

    private static boolean isJson(EventEnvelope event) {
        return event.payloadForm() == PayloadForm.JSON;
    }

    static byte[] alone(EventEnvelope event) {
        return event.payloadBytes();
    }

    /** JSON payloads become the member {@code data}, bytes the member {@code data_base64}. */
    static byte[] inside(Map<String, String> attributes, EventEnvelope event) {
        String object = Objects.requireNonNull(JsonCodec.getDefault().toJson(attributes));
        String data = isJson(event)
                ? ",\"data\":" + event.payloadJson()
                : ",\"data_base64\":\"" + Base64.getEncoder().encodeToString(event.payloadBytes()) + "\"";
        return (object.substring(0, object.length() - 1) + data + "}").getBytes(StandardCharsets.UTF_8);
    }

    static byte[] standard(EventEnvelope event) {
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put("type", event.eventType());
        attributes.put("timestamp", event.occurredAt().toString());
        return inside(attributes, event);
    }
}
