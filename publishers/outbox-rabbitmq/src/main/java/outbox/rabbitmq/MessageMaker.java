package outbox.rabbitmq;

import com.rabbitmq.client.AMQP.BasicProperties;
import java.nio.charset.StandardCharsets;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.EventEnvelope.PayloadForm;
import outbox.PayloadHeaders;
import outbox.spi.NameTemplate;

/**
 * Creates the message of an event. Events that AMQP cannot carry are rejected here: the client would fail in the middle
 * of a message, and the channel would be lost with everything in flight on it. Immutable and thread-safe.
 */
final class MessageMaker {
    /** Maximum length of names in AMQP, in bytes. */
    private static final int MAX_NAME_BYTES = 255;
    /** Maximum size of all headers in bytes; they must fit into one frame, of 128 KB by default. */
    private static final int MAX_HEADER_BYTES = 64 * 1024;

    private static final int PERSISTENT = 2;

    private final NameTemplate exchange;
    private final NameTemplate routingKey;

    MessageMaker(NameTemplate exchange, NameTemplate routingKey) {
        this.exchange = exchange;
        this.routingKey = routingKey;
    }

    /** @throws MessageRefusedException if the event cannot be sent as a message */
    Message messageOf(EventEnvelope event) {
        boolean json = event.payloadForm() == PayloadForm.JSON;
        BasicProperties properties = new BasicProperties.Builder()
                .messageId(named("event id", event.eventId(), event))
                .type(named("event type", event.eventType(), event))
                .timestamp(Date.from(event.occurredAt()))
                .contentType(named("content type", PayloadHeaders.contentType(event), event))
                .contentEncoding(json ? "UTF-8" : null)
                .deliveryMode(PERSISTENT)
                .headers(headers(event))
                .build();
        return new Message(
                named("exchange", nameBy(exchange, event), event),
                named("routing key", nameBy(routingKey, event), event),
                properties,
                event.payloadBytes());
    }

    private static String nameBy(NameTemplate template, EventEnvelope event) {
        String name = template.nameFor(event);
        if (name == null) {
            throw new MessageRefusedException(
                    "event " + event.eventId() + " has no value for a placeholder of '" + template + "'");
        }
        return name;
    }

    private static Map<String, Object> headers(EventEnvelope event) {
        Map<String, Object> headers = new LinkedHashMap<>();
        int size = 0;
        for (Map.Entry<String, @Nullable String> header : event.headers().entrySet()) {
            String value = header.getValue();
            if (value != null) {
                headers.put(named("header name", header.getKey(), event), value);
                size += utf8(header.getKey()).length + utf8(value).length;
            }
        }
        if (size > MAX_HEADER_BYTES) {
            throw new MessageRefusedException("the headers of event " + event.eventId() + " have " + size
                    + " bytes, more than the limit of " + MAX_HEADER_BYTES);
        }
        headers.put("aggregateType", event.aggregateType());
        if (event.aggregateId() != null) {
            headers.put("aggregateId", event.aggregateId());
        }
        if (event.tenantId() != null) {
            headers.put("tenantId", event.tenantId());
        }
        return headers;
    }

    private static String named(String what, String name, EventEnvelope event) {
        if (utf8(name).length > MAX_NAME_BYTES) {
            throw new MessageRefusedException("the " + what + " of event " + event.eventId() + " is longer than the "
                    + MAX_NAME_BYTES + " bytes that AMQP allows");
        }
        return name;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
