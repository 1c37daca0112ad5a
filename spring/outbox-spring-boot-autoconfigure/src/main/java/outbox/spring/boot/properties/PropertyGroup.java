package outbox.spring.boot.properties;

import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Properties with a common prefix that are passed to a builder. If the builder rejects a value, the exception names the
 * property and its value, such as {@code outbox.poll.batch-size=0}.
 *
 * @param prefix without a dot at its end
 */
public record PropertyGroup(String prefix) {
    /** Passes a value on, if it is set. @return this */
    public <T> PropertyGroup give(String name, @Nullable T value, Function<? super T, ?> builder) {
        if (value != null) {
            var unused = make(name, value, builder);
        }
        return this;
    }

    /** Converts a value. */
    public <T, R> R make(String name, T value, Function<? super T, ? extends R> maker) {
        try {
            return maker.apply(value);
        } catch (IllegalArgumentException e) {
            throw new InvalidConfigurationPropertyValueException(
                    prefix + "." + name, value, String.valueOf(e.getMessage()));
        }
    }

    /** Converts all of them, where they may contradict each other. */
    public <R> R build(Supplier<? extends R> maker) {
        try {
            return maker.get();
        } catch (IllegalArgumentException e) {
            // without the cause: it may contain a secret
            throw new RefusedSettingsException(prefix + ": " + e.getMessage(), "Change one of these settings.");
        }
    }
}
