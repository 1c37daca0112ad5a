package outbox.domain;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * An aggregate that records what happened to it. It does not publish: the application service that saves it pulls the
 * events, once, and records them in the same transaction. Not thread-safe, as aggregates are not.
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
     * The events since the last pull, oldest first; the aggregate forgets them. Not final, nor is the next one: the lazy
     * proxy of a persistence framework passes on what it can override, and has no events itself.
     */
    public List<DomainEvent> pullDomainEvents() {
        List<DomainEvent> pulled = List.copyOf(recorded());
        recorded().clear();
        return pulled;
    }

    /** The events that wait to be pulled. */
    public List<DomainEvent> pendingDomainEvents() {
        return List.copyOf(recorded());
    }

    /** Persistence frameworks make objects without running field initializers. */
    @SuppressWarnings("NullAway")
    private List<DomainEvent> recorded() {
        if (domainEvents == null) {
            domainEvents = new ArrayList<>();
        }
        return domainEvents;
    }
}
