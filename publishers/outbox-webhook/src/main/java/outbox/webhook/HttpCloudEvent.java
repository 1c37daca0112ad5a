package outbox.webhook;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import outbox.EventEnvelope;
import outbox.PayloadHeaders;

/** The CloudEvents 1.0 attributes of an event, without its data. Immutable. */
final class HttpCloudEvent {
    static final String STRUCTURED_TYPE = "application/cloudevents+json; charset=UTF-8";

    private final Map<String, String> attributes = new LinkedHashMap<>();

    HttpCloudEvent(EventEnvelope event, URI source) {
        attributes.put("specversion", "1.0");
        attributes.put("id", event.eventId());
        attributes.put("source", source.toString());
        attributes.put("type", event.eventType());
        attributes.put("time", event.occurredAt().toString());
        if (event.aggregateId() != null) {
            attributes.put("subject", event.aggregateId());
        }
        PayloadHeaders.addTo(attributes, event);
        attributes.putAll(TraceContext.of(event)); // the distributed tracing extension
    }

    /** For structured mode. */
    Map<String, String> attributes() {
        return attributes;
    }

    /** For binary mode: one header each; the content type is HTTP's own. */
    Map<String, String> headers() {
        Map<String, String> headers = new LinkedHashMap<>();
        attributes.forEach((name, value) -> {
            if (!name.equals("datacontenttype")) {
                headers.put("ce-" + name, percentEncoded(value));
            }
        });
        return headers;
    }

    /**
     * Percent-encodes space, double quote, percent and everything but printable ASCII, as the HTTP binding requires.
     */
    private static String percentEncoded(String value) {
        StringBuilder out = new StringBuilder(value.length());
        for (byte b : value.getBytes(StandardCharsets.UTF_8)) {
            if (b <= 0x20 || b == 0x7f || b == '"' || b == '%') {
                out.append(String.format("%%%02X", b & 0xff));
            } else {
                out.append((char) b);
            }
        }
        return out.toString();
    }
}
