package outbox.spring.boot;

import outbox.OutboxBuilder;

/**
 * Customizes an outbox before it is built, for settings without a property. Beans of this type are called for each
 * outbox.
 */
@FunctionalInterface
public interface OutboxCustomizer {
    /** @param name the name in {@code outbox.instances.<name>}, or {@code outbox} for the single outbox */
    void customize(String name, OutboxBuilder builder);
}
