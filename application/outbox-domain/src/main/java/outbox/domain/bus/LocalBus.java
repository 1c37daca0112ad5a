package outbox.domain.bus;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.domain.type.EventReader;

/**
 * Brings events to subscribers in this process that come and go at run time. It keeps no account of them: if one throws,
 * all others are called all the same, then the event is retried and everybody is called again. Handlers that must not be
 * are {@code @EventHandler} methods. An event nobody subscribed to is done. Thread-safe.
 *
 * <pre>{@code
 * LocalBus bus = new LocalBus(reader);
 * LocalBus.Subscription cache = bus.subscribe(PriceChanged.class, event -> prices.remove(event.sku()));
 * Outbox.multiNode().listeners((aggregateType, eventType) -> bus)...
 * }</pre>
 */
public final class LocalBus implements EventListener {
    private final EventReader reader;
    private final List<Entry<?>> entries = new CopyOnWriteArrayList<>();

    public LocalBus(EventReader reader) {
        this.reader = Objects.requireNonNull(reader, "reader");
    }

    /** Gets events; what it throws means: again. */
    @FunctionalInterface
    public interface Subscriber<E> {
        void on(E event) throws Exception;
    }

    /** Ends when it is closed; calls under way go on. */
    @FunctionalInterface
    public interface Subscription extends AutoCloseable {
        @Override
        void close();
    }

    /** No record: two subscriptions of one subscriber are two. */
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
