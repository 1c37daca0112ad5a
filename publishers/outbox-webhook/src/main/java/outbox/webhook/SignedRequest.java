package outbox.webhook;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import outbox.EventEnvelope;
import outbox.Redelivery;

/** The HTTP request of one delivery attempt. */
final class SignedRequest {
    static final String USER_AGENT = "outbox-webhook";
    private static final Pattern PLAIN_VALUE = Pattern.compile("[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?");

    private SignedRequest() {}

    /** @throws UnsendableEventException if the event cannot be sent as a request */
    static HttpPost of(WebhookEndpoint endpoint, EventEnvelope event, Instant now) {
        if (!WebhookSignature.isSignable(event.eventId())) {
            throw new UnsendableEventException("event " + event.eventId()
                    + " cannot be sent as a webhook: its id must not contain dots, spaces or control characters");
        }
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("user-agent", USER_AGENT);
        headers.putAll(endpoint.headers());
        event.headers().forEach((name, value) -> {
            String header = name.toLowerCase(Locale.ROOT);
            if ((endpoint.forwardedHeaders().contains(header) || header.equals(Redelivery.OF))
                    && value != null
                    && PLAIN_VALUE.matcher(value).matches()) {
                headers.put(header, value);
            }
        });
        headers.putAll(TraceContext.of(event));
        byte[] body = body(endpoint, event, headers);
        String timestamp = Long.toString(now.getEpochSecond());
        headers.put(WebhookSignature.ID_HEADER, event.eventId());
        headers.put(WebhookSignature.TIMESTAMP_HEADER, timestamp);
        headers.put(
                WebhookSignature.SIGNATURE_HEADER,
                WebhookSignature.header(endpoint.secrets(), event.eventId(), timestamp, body));
        return new HttpPost(endpoint.url(), headers, body);
    }

    private static byte[] body(WebhookEndpoint endpoint, EventEnvelope event, Map<String, String> headers) {
        headers.put("content-type", PayloadBytes.contentType(event));
        return switch (endpoint.body()) {
            case STANDARD -> {
                headers.put("content-type", "application/json");
                yield PayloadBytes.standard(event);
            }
            case PAYLOAD -> PayloadBytes.alone(event);
            case CLOUDEVENTS_BINARY -> {
                headers.putAll(new HttpCloudEvent(event, endpoint.cloudEventsSource(event)).headers());
                yield PayloadBytes.alone(event);
            }
            case CLOUDEVENTS_STRUCTURED -> {
                headers.put("content-type", HttpCloudEvent.STRUCTURED_TYPE);
                yield PayloadBytes.inside(
                        new HttpCloudEvent(event, endpoint.cloudEventsSource(event)).attributes(), event);
            }
        };
    }
}
