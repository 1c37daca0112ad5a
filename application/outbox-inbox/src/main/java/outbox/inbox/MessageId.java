package outbox.inbox;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds the id of a message that its sender gave none in the usual place. The same message must get the same id in every
 * delivery. Thread-safe.
 *
 * <pre>{@code
 * MessageId.header("x-request-id").orElse(MessageId.position())
 * }</pre>
 */
@FunctionalInterface
public interface MessageId {
    /** @return {@code null} if the message has no id */
    @Nullable
    String of(InboxMessage message);

    /** The value of a header. */
    static MessageId header(String name) {
        Objects.requireNonNull(name, "name");
        return message -> message.headers().get(name);
    }

    /**
     * Source, position and key, which identify a message in a log: topic, partition and offset in Kafka. A message that its
     * sender wrote twice has two positions and is handled twice.
     */
    static MessageId position() {
        return message -> message.position() == null
                ? null
                : message.source() + "/" + message.position() + (message.key() == null ? "" : "/" + message.key());
    }

    /** The other one where this finds none. */
    default MessageId orElse(MessageId other) {
        Objects.requireNonNull(other, "other");
        return message -> {
            String id = of(message);
            return id == null || id.isBlank() ? other.of(message) : id;
        };
    }
}
