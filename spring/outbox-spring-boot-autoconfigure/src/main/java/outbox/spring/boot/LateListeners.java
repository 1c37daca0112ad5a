package outbox.spring.boot;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.registry.ListenerRegistry;

/**
 * Breaks a cycle: handlers may publish and need the writer, and the outbox that creates the writer needs the handlers.
 * Handlers are set after all beans were created; workers with an earlier event wait. Thread-safe.
 */
final class LateListeners implements ListenerRegistry {
    private final CountDownLatch arrived = new CountDownLatch(1);
    private volatile @Nullable ListenerRegistry listeners;

    void arrived(ListenerRegistry registry) {
        listeners = registry;
        arrived.countDown();
    }

    @Override
    public @Nullable EventListener listenerFor(String aggregateType, String eventType) {
        return arrived().listenerFor(aggregateType, eventType);
    }

    @Override
    public @Nullable EventListener listenerFor(EventEnvelope event) {
        return arrived().listenerFor(event);
    }

    @Override
    public void onReplay(Connection conn, String eventId) throws SQLException {
        arrived().onReplay(conn, eventId);
    }

    private ListenerRegistry arrived() {
        ListenerRegistry registry = listeners;
        return registry == null ? await() : registry;
    }

    private ListenerRegistry await() {
        try {
            arrived.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        ListenerRegistry registry = listeners;
        if (registry == null) {
            throw new IllegalStateException("the application stopped before its handlers were ready");
        }
        return registry;
    }
}
