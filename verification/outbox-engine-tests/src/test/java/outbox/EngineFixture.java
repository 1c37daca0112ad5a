package outbox;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryRow;
import outbox.testing.InMemoryTxContext;

/** An engine on the in-memory store; everything that was built is closed after the test. */
public abstract class EngineFixture {
    static {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(30)); // a busy machine may be held up for long
    }

    protected final InMemoryOutboxStore store = new InMemoryOutboxStore();
    protected final InMemoryTxContext tx = store.txContext();
    protected final DefaultListenerRegistry registry = new DefaultListenerRegistry();
    protected final CountingMetrics metrics = new CountingMetrics();
    protected final List<String> delivered = new CopyOnWriteArrayList<>();
    private final List<AutoCloseable> open = new ArrayList<>();

    protected final Outbox outbox(UnaryOperator<OutboxBuilder> settings) {
        OutboxBuilder builder = Outbox.multiNode()
                .store(store)
                .connections(store.connectionProvider())
                .transactions(tx)
                .listeners(registry)
                .metrics(metrics)
                .retryPolicy(attempts -> 1)
                .pollInterval(Duration.ofMillis(20));
        return closing(settings.apply(builder).build().start());
    }

    protected final <T extends AutoCloseable> T closing(T resource) {
        open.add(0, resource);
        return resource;
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable resource : open) {
            resource.close();
        }
    }

    protected final String write(Outbox outbox, EventEnvelope event) {
        tx.inTransaction(() -> outbox.writer().write(event));
        return event.eventId();
    }

    protected final String write(Outbox outbox, String eventType) {
        return write(outbox, EventEnvelope.ofJson(eventType, "{}"));
    }

    protected final List<String> writeMany(Outbox outbox, String eventType, int count) {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(EventEnvelope.ofJson(eventType, "{\"n\":" + i + "}"));
        }
        tx.inTransaction(() -> outbox.writer().writeAll(events));
        return events.stream().map(EventEnvelope::eventId).toList();
    }

    protected final InMemoryRow awaitStatus(String eventId, EventStatus status) {
        await().pollInterval(Duration.ofMillis(2))
                .until(() -> store.row(eventId) != null && store.row(eventId).status() == status);
        return store.row(eventId);
    }

    protected final void awaitAll(int count, EventStatus status) {
        await().pollInterval(Duration.ofMillis(5)).until(() -> store.count(status) == count);
    }

    /** A listener that notes what it gets. */
    protected final EventListener noting() {
        return event -> delivered.add(event.eventId());
    }
}
