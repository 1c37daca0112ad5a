package outbox.spring.boot;

import outbox.OutboxBuilder;

/**
 * Has the last word on an outbox before it is built: a bean of this type is called for each. For what properties do not
 * offer.
 */
@FunctionalInterface
public interface OutboxCustomizer {
    /** @param name that of {@code outbox.instances.<name>}, or {@code outbox} if there is only one */
    void customize(String name, OutboxBuilder builder);
}
