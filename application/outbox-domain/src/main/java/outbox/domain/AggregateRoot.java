package outbox.domain;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * An aggregate that records its events. It does not publish them: the application service that saves the aggregate
 * pulls the events and stores them in the same transaction. Not thread-safe.
 *
 * <pre>{@code
 * public void place() {
 *     this.status = PLACED;
 *     raise(new OrderPlaced(id, total));
 * }
 * }</pre>
 */
public abstract class AggregateRoot {
    private transient List<DomainEvent> domainEvents = new ArrayList<>();

    /** Records an event in memory. */
    protected final void raise(DomainEvent event) {
        Objects.requireNonNull(event, "event");
        recorded().add(event);
    }

    /**
     * Returns and removes the events since the last pull, oldest first. Not final: lazy proxies of persistence
     * frameworks can only delegate methods that they can override.
     */
    public List<DomainEvent> pullDomainEvents() {
        List<DomainEvent> pulled = List.copyOf(recorded());
        recorded().clear();
        return pulled;
    }

    /** The events that were not pulled yet. */
    public List<DomainEvent> pendingDomainEvents() {
        return List.copyOf(recorded());
    }

    /** Persistence frameworks create objects without running field initializers. */
    @SuppressWarnings("NullAway")
    private List<DomainEvent> recorded() {
        if (domainEvents == null) {
            domainEvents = new ArrayList<>();
        }
        return domainEvents;
    }
}
