package outbox.inbox.rabbitmq;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.LongString;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.inbox.InboxMessage;
import outbox.inbox.MessageFormats;
import outbox.util.StoredError;

/**
 * Reads messages in the format of {@code outbox-rabbitmq}, with Debezium's headers {@code id} and {@code eventType}, and
 * CloudEvents in binary and structured mode. Of other messages the id is the message id, and the type is the property
 * {@code type} or else the routing key. Stateless, thread-safe.
 */
public final class RabbitMessages {
    /** The type of a message for which the mapping failed; the header {@value #ERROR} says why. */
    public static final String UNMAPPED = "inbox.unmapped";

    private static final String ERROR = "inbox-mapping-error";

    private RabbitMessages() {}

    /** @param queue where it was read */
    public static InboxMessage of(String queue, Delivery delivery) {
        return of(queue, delivery.getEnvelope().getRoutingKey(), delivery.getProperties(), delivery.getBody());
    }

    /** The same for parts of a message. */
    public static InboxMessage of(String queue, String routingKey, BasicProperties properties, byte[] body) {
        Map<String, String> headers = headersOf(properties);
        if (MessageFormats.isStructuredCloudEvent(properties.getContentType())) {
            return MessageFormats.structuredCloudEvent(body)
                    .headers(headers)
                    .source(queue)
                    .build();
        }
        InboxMessage.Builder message = MessageFormats.isCloudEvent(headers)
                ? MessageFormats.cloudEvent(headers)
                : InboxMessage.builder(typeOf(properties, headers, routingKey))
                        .id(first(properties.getMessageId(), headers.get("id")))
                        .key(headers.get("aggregateId"))
                        .tenantId(headers.get("tenantId"))
                        .headers(headers);
        return message.source(queue).payload(body).build();
    }

    static InboxMessage unmapped(String queue, Delivery delivery, Throwable failure) {
        return InboxMessage.builder(UNMAPPED)
                .id(delivery.getProperties().getMessageId())
                .source(queue)
                .header(ERROR, String.valueOf(StoredError.of(failure)))
                .payload(delivery.getBody())
                .build();
    }

    private static String typeOf(BasicProperties properties, Map<String, String> headers, String routingKey) {
        String type = first(properties.getType(), headers.get("eventType"));
        return type == null ? routingKey : type;
    }

    private static @Nullable String first(@Nullable String one, @Nullable String other) {
        return one != null && !one.isBlank() ? one : other;
    }

    /** Attributes of CloudEvents get the prefix that they have elsewhere; tables, such as {@code x-death}, are left out. */
    private static Map<String, String> headersOf(BasicProperties properties) {
        Map<String, String> headers = new LinkedHashMap<>();
        if (properties.getHeaders() != null) {
            properties.getHeaders().forEach((name, value) -> {
                String text = textOf(value);
                if (text != null) {
                    headers.put(nameOf(name), text);
                }
            });
        }
        return headers;
    }

    private static String nameOf(String name) {
        for (String prefix : new String[] {"cloudEvents:", "cloudEvents_"}) {
            if (name.startsWith(prefix)) {
                return MessageFormats.CLOUD_EVENT + name.substring(prefix.length());
            }
        }
        return name;
    }

    private static @Nullable String textOf(@Nullable Object value) {
        if (value == null || value instanceof Map<?, ?> || value instanceof Collection<?> || value instanceof byte[]) {
            return null;
        }
        String text = value instanceof LongString ? value.toString() : String.valueOf(value);
        return text.indexOf('\0') < 0 ? text : null;
    }
}
