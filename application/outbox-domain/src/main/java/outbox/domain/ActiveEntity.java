package outbox.domain;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The active-record form: an entity that publishes at once what happens to it, through the publisher of the transaction
 * the current thread is in. The event is stored if and only if that transaction commits.
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
 * <p>Which publisher that is says {@link DomainEventBus}. Entities that cannot extend this class call
 * {@link DomainEventBus#current()} themselves.
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
