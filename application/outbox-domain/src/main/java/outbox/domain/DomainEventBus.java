package outbox.domain;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Finds the publisher of the current transaction for code without dependency injection, such as entities. An
 * application binds its publishers at startup, one per database; the publisher whose transaction is active on the
 * calling thread is the current one. Thread-safe.
 */
public final class DomainEventBus {
    private static final List<Binding> BINDINGS = new CopyOnWriteArrayList<>();

    private DomainEventBus() {}

    /** Keeps a publisher bound until it is closed. */
    public static final class Binding implements AutoCloseable {
        private final DomainEventPublisher publisher;
        private final boolean isDefault;

        private Binding(DomainEventPublisher publisher, boolean isDefault) {
            this.publisher = Objects.requireNonNull(publisher, "publisher");
            this.isDefault = isDefault;
        }

        @Override
        public void close() {
            BINDINGS.remove(this);
        }
    }

    /** Binds a publisher for entities. */
    public static Binding bind(DomainEventPublisher publisher) {
        return add(new Binding(publisher, false));
    }

    /**
     * Binds a publisher that needs no transaction, for development and tests. It is used if no other publisher is in a
     * transaction; if there are several, the last one bound is used.
     */
    public static Binding bindDefault(DomainEventPublisher publisher) {
        return add(new Binding(publisher, true));
    }

    private static Binding add(Binding binding) {
        BINDINGS.add(binding);
        return binding;
    }

    /** @throws IllegalStateException if no publisher is in a transaction on this thread, or more than one */
    public static DomainEventPublisher current() {
        List<DomainEventPublisher> active = BINDINGS.stream()
                .filter(binding -> !binding.isDefault)
                .map(binding -> binding.publisher)
                .filter(DomainEventPublisher::isInTransaction)
                .toList();
        if (active.size() == 1) {
            return active.get(0);
        }
        List<DomainEventPublisher> defaults = BINDINGS.stream()
                .filter(binding -> binding.isDefault)
                .map(binding -> binding.publisher)
                .toList();
        if (active.isEmpty() && !defaults.isEmpty()) {
            return defaults.get(defaults.size() - 1);
        }
        if (BINDINGS.isEmpty()) {
            throw new IllegalStateException(
                    "no publisher is bound: call DomainEventBus.bind(publisher) when the application starts");
        }
        if (active.isEmpty()) {
            throw new IllegalStateException("no active transaction: an event must be published in the transaction of"
                    + " the change it describes; begin one around the call of the entity");
        }
        throw new IllegalStateException("thread '" + Thread.currentThread().getName() + "' is in transactions of "
                + active.size() + " publishers at once: " + active + "; call the intended publisher directly");
    }
}
