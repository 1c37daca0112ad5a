package outbox.kafka;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.EventEnvelope.PayloadForm;
import outbox.PayloadHeaders;
import outbox.util.JsonCodec;

/** An event in CloudEvents 1.0 format. Immutable. */
final class KafkaCloudEvent {
    private final EventEnvelope event;
    private final Map<String, String> attributes = new LinkedHashMap<>();

    KafkaCloudEvent(EventEnvelope event, @Nullable URI source) {
        this.event = event;
        attributes.put("specversion", "1.0");
        attributes.put("id", event.eventId());
        attributes.put("source", source == null ? defaultSource() : source.toString());
        attributes.put("type", event.eventType());
        attributes.put("time", event.occurredAt().toString());
        PayloadHeaders.addTo(attributes, event);
        put("subject", event.aggregateId());
        put("partitionkey", event.aggregateId());
        put("tenantid", event.tenantId());
        put("traceparent", event.headers().get("traceparent"));
        put("tracestate", event.headers().get("tracestate"));
    }

    private void put(String name, @Nullable String value) {
        if (value != null) {
            attributes.put(name, value);
        }
    }

    private String defaultSource() {
        return "urn:outbox:" + event.aggregateType().replaceAll("[^A-Za-z0-9._-]", "-");
    }

    private boolean isJson() {
        return event.payloadForm() == PayloadForm.JSON;
    }

    /** For binary mode: attributes as headers, the content type under Kafka's own name for it. */
    Map<String, String> binaryHeaders() {
        Map<String, String> headers = new LinkedHashMap<>();
        attributes.forEach((name, value) -> {
            if (name.equals("datacontenttype")) {
                headers.put("content-type", value);
            } else {
                headers.put("ce_" + name, value);
            }
        });
        return headers;
    }

    static Map<String, String> structuredHeaders() {
        return Map.of("content-type", "application/cloudevents+json; charset=UTF-8");
    }

    /** For structured mode: one JSON object. */
    byte[] structuredValue() {
        String object = Objects.requireNonNull(JsonCodec.getDefault().toJson(attributes));
        String data = isJson()
                ? ",\"data\":" + event.payloadJson()
                : ",\"data_base64\":\"" + Base64.getEncoder().encodeToString(event.payloadBytes()) + "\"";
        return (object.substring(0, object.length() - 1) + data + "}").getBytes(StandardCharsets.UTF_8);
    }
}
