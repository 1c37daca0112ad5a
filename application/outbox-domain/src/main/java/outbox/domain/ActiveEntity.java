package outbox.domain;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Active-record style: an entity that publishes its events immediately, through the publisher of the current thread's
 * transaction. The event is stored if and only if that transaction commits.
 *
 * <pre>{@code
 * public class Account extends ActiveEntity {
 *     public void close() {
 *         this.closed = true;
 *         apply(new AccountClosed(id));
 *     }
 *
 *     protected String aggregateId() {
 *         return id;
 *     }
 * }
 * }</pre>
 *
 * <p>{@link DomainEventBus} selects the publisher. Entities that cannot extend this class call {@link
 * DomainEventBus#current()} directly.
 */
public abstract class ActiveEntity {
    /** Publishes a {@link DomainEvent}, or another object that is an event, in the context of this entity. */
    public final void apply(Object event) {
        Objects.requireNonNull(event, "event");
        DomainEventBus.current().publish(event, DomainEventContext.of(aggregateType(), aggregateId()));
    }

    /** By default the simple name of the class. */
    protected String aggregateType() {
        return getClass().getSimpleName();
    }

    /** By default none; events without it are delivered in no particular order. */
    protected @Nullable String aggregateId() {
        return null;
    }
}
