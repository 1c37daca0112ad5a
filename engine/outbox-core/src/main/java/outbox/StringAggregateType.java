package outbox;

import java.util.Objects;

/** An {@link AggregateType} whose name is known only at run time. */
public record StringAggregateType(String name) implements AggregateType {
    public StringAggregateType {
        Objects.requireNonNull(name, "name");
        if (name.isBlank()) {
            throw new IllegalArgumentException("name of an aggregate type must not be blank");
        }
    }

    public static StringAggregateType of(String name) {
        return new StringAggregateType(name);
    }
}
