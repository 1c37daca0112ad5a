package outbox.spring.boot.properties;

import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Properties with one prefix, on their way to a builder. What the builder refuses is reported as the property it came from,
 * with its value: the builder's own words mean nothing to somebody who wrote {@code outbox.poll.batch-size=0}.
 *
 * @param prefix without a dot at its end
 */
public record PropertyGroup(String prefix) {
    /** Hands a value over, if there is one. @return this */
    public <T> PropertyGroup give(String name, @Nullable T value, Function<? super T, ?> builder) {
        if (value != null) {
            var unused = make(name, value, builder);
        }
        return this;
    }

    /** Makes something of a value. */
    public <T, R> R make(String name, T value, Function<? super T, ? extends R> maker) {
        try {
            return maker.apply(value);
        } catch (IllegalArgumentException e) {
            throw new InvalidConfigurationPropertyValueException(
                    prefix + "." + name, value, String.valueOf(e.getMessage()));
        }
    }

    /** Makes something of all of them, where they may contradict each other. */
    public <R> R build(Supplier<? extends R> maker) {
        try {
            return maker.get();
        } catch (IllegalArgumentException e) {
            // without the cause: it may quote a secret
            throw new IllegalArgumentException(prefix + ": " + e.getMessage());
        }
    }
}
