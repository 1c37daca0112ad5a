package outbox.domain.bus;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.domain.type.EventDeserializer;

/**
 * Delivers events to subscribers in this process that can change at runtime. It does not track their progress: if one
 * throws, the others are still called, then the event is retried and all are called again. Use {@code @EventHandler}
 * methods to avoid that. An event without subscribers is done. Thread-safe.
 *
 * <pre>{@code
 * LocalBus bus = new LocalBus(reader);
 * LocalBus.Subscription cache = bus.subscribe(PriceChanged.class, event -> prices.remove(event.sku()));
 * Outbox.multiNode().listeners((aggregateType, eventType) -> bus)...
 * }</pre>
 */
public final class LocalBus implements EventListener {
    private final EventDeserializer reader;
    private final List<Entry<?>> entries = new CopyOnWriteArrayList<>();

    public LocalBus(EventDeserializer reader) {
        this.reader = Objects.requireNonNull(reader, "reader");
    }

    /** Receives events; an exception means the event is retried. */
    @FunctionalInterface
    public interface Subscriber<E> {
        void on(E event) throws Exception;
    }

    /** Ends when it is closed; running calls continue. */
    @FunctionalInterface
    public interface Subscription extends AutoCloseable {
        @Override
        void close();
    }

    /** Not a record: each subscription has its own identity. */
    private static final class Entry<E> {
        private final Class<E> type;
        private final Subscriber<? super E> subscriber;

        Entry(Class<E> type, Subscriber<? super E> subscriber) {
            this.type = type;
            this.subscriber = subscriber;
        }

        void offer(Object event) throws Exception {
            if (type.isInstance(event)) {
                subscriber.on(type.cast(event));
            }
        }
    }

    /** Subscribes to events of this class and of its subclasses. */
    public <E> Subscription subscribe(Class<E> type, Subscriber<? super E> subscriber) {
        Entry<E> entry = new Entry<>(Objects.requireNonNull(type, "type"), Objects.requireNonNull(subscriber));
        entries.add(entry);
        return () -> entries.remove(entry);
    }

    @Override
    public void onEvent(EventEnvelope envelope) throws Exception {
        if (entries.isEmpty()) {
            return;
        }
        Object event = reader.read(envelope);
        Exception failure = null;
        for (Entry<?> entry : entries) {
            try {
                entry.offer(event);
            } catch (Exception e) {
                failure = addTo(failure, e);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private static Exception addTo(@Nullable Exception first, Exception next) {
        if (first == null) {
            return next;
        }
        if (first != next) {
            first.addSuppressed(next);
        }
        return first;
    }
}
