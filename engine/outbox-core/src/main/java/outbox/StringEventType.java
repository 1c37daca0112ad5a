package outbox;

import java.util.Objects;

/** An {@link EventType} whose name is known only at run time. */
public record StringEventType(String name) implements EventType {
    public StringEventType {
        Objects.requireNonNull(name, "name");
        if (name.isBlank()) {
            throw new IllegalArgumentException("name of an event type must not be blank");
        }
    }

    public static StringEventType of(String name) {
        return new StringEventType(name);
    }
}
