package outbox.domain;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Finds the publisher of the current transaction for code that nothing is injected into: entities. An application binds
 * its publishers at the start, one per database; the one whose transaction the calling thread is in is the current one.
 * Thread-safe.
 */
public final class DomainEventBus {
    private static final List<Binding> BINDINGS = new CopyOnWriteArrayList<>();

    private DomainEventBus() {}

    /** A publisher that entities find, until this is closed. */
    public static final class Binding implements AutoCloseable {
        private final DomainEventPublisher publisher;

        private Binding(DomainEventPublisher publisher) {
            this.publisher = publisher;
        }

        @Override
        public void close() {
            BINDINGS.remove(this);
        }
    }

    /** Makes this publisher known to entities. */
    public static Binding bind(DomainEventPublisher publisher) {
        Binding binding = new Binding(Objects.requireNonNull(publisher, "publisher"));
        BINDINGS.add(binding);
        return binding;
    }

    /** @throws IllegalStateException if no publisher is in a transaction on this thread, or more than one */
    public static DomainEventPublisher current() {
        List<DomainEventPublisher> active = BINDINGS.stream()
                .map(binding -> binding.publisher)
                .filter(DomainEventPublisher::isInTransaction)
                .toList();
        if (active.size() == 1) {
            return active.get(0);
        }
        if (BINDINGS.isEmpty()) {
            throw new IllegalStateException(
                    "no publisher is bound: call DomainEventBus.bind(publisher) when the application starts");
        }
        if (active.isEmpty()) {
            throw new IllegalStateException("no active transaction: an event must be published in the transaction of"
                    + " the change it tells of; begin one around the call of the entity");
        }
        throw new IllegalStateException("thread '" + Thread.currentThread().getName() + "' is in transactions of "
                + active.size() + " publishers at once: " + active + "; call the one that is meant");
    }
}
