package outbox.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.domain.DomainEvent;
import outbox.domain.DomainEventContext;
import outbox.domain.EventName;
import outbox.domain.TxMode;
import outbox.domain.handler.EventHandler;
import outbox.domain.handler.EventHandlers;
import outbox.domain.handler.HandlerOutcome;
import outbox.domain.handler.HandlerState;
import outbox.domain.handler.RetryRule;
import outbox.domain.type.EventEnvelopes;
import outbox.domain.type.EventTypes;
import outbox.idempotency.Database;
import outbox.jdbc.store.JdbcOutbox;
import outbox.testing.server.DatabaseServer;

/** Which handlers are called by a delivery that may be the first, on the real engine and a real database. */
@DisplayName("T3 progress of handlers is read and written only when there is something to remember")
@Timeout(300)
abstract class FirstDeliveryContract {
    @EventName("parcel.sent")
    public record ParcelSent(String eventId, Instant occurredAt) implements DomainEvent {
        ParcelSent(String id) {
            this(id, Instant.now());
        }
    }

    private Database database;
    private EventHandlers handlers;
    private Outbox outbox;
    private final ConcurrentLinkedQueue<String> calls = new ConcurrentLinkedQueue<>();
    private final AtomicInteger failures = new AtomicInteger();
    private volatile CountDownLatch mayEnd = new CountDownLatch(0);

    abstract DatabaseServer server();

    @BeforeEach
    void open() {
        database = new Database(server(), 12);
    }

    @AfterEach
    void close() {
        if (outbox != null) {
            outbox.close();
        }
        handlers.close();
        database.close();
    }

    class Depot {
        @EventHandler(name = "mail")
        void mail(ParcelSent event) throws InterruptedException {
            mayEnd.await();
            calls.add("mail");
            if (failures.getAndDecrement() > 0) {
                throw new IllegalStateException("smtp down");
            }
        }

        @EventHandler(name = "stock")
        void stock(ParcelSent event) {
            calls.add("stock");
        }
    }

    private void build() {
        handlers = EventHandlers.scan(new Depot())
                .serializer(database.serializer)
                .tracker(database.tracker)
                .transactions(database.transactions)
                .defaultRetry(new RetryRule(attempts -> 1, 10))
                .build();
    }

    private OutboxBuilder node(String name) {
        return JdbcOutbox.multiNode(database.dataSource, database.store)
                .transactions(database.tx)
                .listeners(handlers)
                .nodeId(name)
                .pollInterval(Duration.ofMillis(50));
    }

    private void start() {
        outbox = node("node-1").build().start();
    }

    /** On the hot path. */
    private void publish(String id) throws Exception {
        EventEnvelopes envelopes = new EventEnvelopes(EventTypes.builder().build(), database.serializer);
        database.transactions.run(
                TxMode.REQUIRED,
                () -> outbox.writer()
                        .write(envelopes.envelope(new ParcelSent(id), DomainEventContext.of("Parcel", "1"))));
    }

    /** Into the table, while nobody delivers. */
    private void write(String id) throws Exception {
        database.transactions.run(TxMode.REQUIRED, () -> {
            database.publisher.publish(new ParcelSent(id));
            return id;
        });
    }

    private void awaitStatus(String id, int status) {
        await().atMost(Duration.ofMinutes(2))
                .until(
                        () -> database.query("SELECT status FROM outbox_event WHERE event_id = '" + id + "'"),
                        List.of(Integer.toString(status))::equals);
    }

    private List<String> stored(String id) throws SQLException {
        return database.query(
                "SELECT handler FROM outbox_consumption WHERE event_id = '" + id + "' AND state = 1 ORDER BY handler");
    }

    private long calls(String handler) {
        return Collections.frequency(calls, handler);
    }

    @Test
    void aDeliveryInWhichAllSucceedLeavesOnlyTheOutcomeOfTheRow() throws Exception {
        build();
        write("cold");
        start();
        publish("hot");

        awaitStatus("cold", 1);
        awaitStatus("hot", 1);
        assertThat(calls("mail")).isEqualTo(2);
        assertThat(calls("stock")).isEqualTo(2);
        assertThat(database.query("SELECT handler FROM outbox_consumption")).isEmpty();
    }

    @Test
    void theHandlerThatSucceededIsNotCalledAgainBecauseAnotherFailed() throws Exception {
        build();
        start();
        failures.set(3);

        publish("e-1");

        awaitStatus("e-1", 1);
        assertThat(calls("mail")).isEqualTo(4);
        assertThat(calls("stock")).isEqualTo(1);
        assertThat(stored("e-1")).containsExactly("mail", "stock");
    }

    /** The row is released without an attempt: it looks as if it had never been delivered. */
    @Test
    void theHandlerThatSucceededIsNotCalledAgainBecauseAnotherWasPaused() throws Exception {
        build();
        start();
        handlers.setPaused("mail", true);
        publish("e-1");
        await().atMost(Duration.ofMinutes(2)).until(() -> stored("e-1"), List.of("stock")::equals);

        handlers.setPaused("mail", false);

        awaitStatus("e-1", 1);
        assertThat(calls).containsExactly("stock", "mail");
        assertThat(database.query("SELECT attempts FROM outbox_event")).containsExactly("0");
    }

    /** As replayed: no attempts, nobody's lease, and something stored. */
    @Test
    void whatAReplayedEventHasConsumedIsNotConsumedAgain() throws Exception {
        build();
        write("e-1");
        database.tracker.record(List.of(
                new HandlerOutcome("e-1", "stock", HandlerState.DONE, 1, Duration.ZERO, null),
                new HandlerOutcome("e-1", "mail", HandlerState.DEAD, 10, Duration.ZERO, "smtp down")));

        start();

        awaitStatus("e-1", 1);
        assertThat(calls).containsExactly("mail");
    }

    /** What was not stored is called again, as a listener would be; what was stored is not. */
    @Test
    void anEventOfAProcessThatDiedIsReadBeforeItsHandlersAreCalled() throws Exception {
        build();
        write("e-1");
        write("e-2");
        database.tracker.record(List.of(new HandlerOutcome("e-2", "stock", HandlerState.DONE, 1, Duration.ZERO, null)));
        database.update("UPDATE outbox_event SET locked_by = 'dead', locked_at = created_at");

        outbox = node("node-1").leaseTime(Duration.ofMillis(500)).build().start();

        awaitStatus("e-1", 1);
        awaitStatus("e-2", 1);
        assertThat(calls("mail")).isEqualTo(2);
        assertThat(calls("stock")).isEqualTo(1);
        assertThat(stored("e-1")).containsExactly("mail", "stock");
    }

    /** If the process ends then, the one that succeeded is not called again. */
    @Test
    void aSuccessIsStoredWhileAnotherHandlerTakesLong() throws Exception {
        build();
        start();
        mayEnd = new CountDownLatch(1);

        publish("e-1");

        await().atMost(Duration.ofMinutes(2)).until(() -> stored("e-1"), List.of("stock")::equals);
        mayEnd.countDown();
        awaitStatus("e-1", 1);
        assertThat(calls).containsExactly("stock", "mail");
    }
}
