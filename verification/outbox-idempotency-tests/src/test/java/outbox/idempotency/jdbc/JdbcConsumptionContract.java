package outbox.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.domain.TransactionRunner;
import outbox.domain.TxMode;
import outbox.domain.handler.EventConsumptionTracker;
import outbox.domain.handler.HandlerOutcome;
import outbox.domain.handler.HandlerProgress;
import outbox.domain.handler.HandlerState;
import outbox.idempotency.Database;
import outbox.idempotency.EventConsumptionTrackerContract;
import outbox.spi.UnitOfWork;
import outbox.testing.server.DatabaseServer;

/** What a tracker in a database can do beyond the contract: take part in transactions, and be purged. */
abstract class JdbcConsumptionContract extends EventConsumptionTrackerContract {
    private Database database;

    abstract DatabaseServer server();

    @BeforeEach
    void open() {
        database = new Database(server(), 8);
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Override
    protected EventConsumptionTracker tracker() {
        return database.tracker;
    }

    @Override
    protected void retryNow(String eventId) throws Exception {
        UnitOfWork.run(database.connections, conn -> {
            database.tracker.retryNow(conn, eventId);
            return eventId;
        });
    }

    @Test
    void aRetryThatIsRolledBackChangesNothing() {
        database.tracker.record(
                List.of(new HandlerOutcome("e-1", "mail", HandlerState.RETRY, 2, Duration.ofHours(1), "smtp down")));

        assertThatThrownBy(() -> UnitOfWork.run(database.connections, conn -> {
                    database.tracker.retryNow(conn, "e-1");
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");

        assertThat(database.tracker.progressOf("e-1").get(0).dueIn()).isPositive();
    }

    /** As a text of another alphabet in a database without it. The attempt counts; otherwise it would never be the last. */
    @Test
    void anErrorTextThatTheDatabaseRefusesIsLeftOutAndTheAttemptIsStored() throws Exception {
        UnitOfWork.run(database.connections, conn -> {
            try (Statement statement = conn.createStatement()) {
                statement.execute("ALTER TABLE outbox_consumption DROP COLUMN last_error");
                statement.execute("ALTER TABLE outbox_consumption ADD COLUMN last_error VARCHAR(10)");
            }
            return true;
        });
        for (int attempt = 1; attempt <= 2; attempt++) {
            database.tracker.record(List.of(new HandlerOutcome(
                    "e-1", "mail", HandlerState.RETRY, attempt, Duration.ofHours(1), "longer than ten characters")));
            assertThat(database.tracker.progressOf("e-1").get(0).attempts()).isEqualTo(attempt);
        }
        database.tracker.record(
                List.of(new HandlerOutcome("e-1", "mail", HandlerState.DEAD, 3, Duration.ZERO, "short")));

        assertThat(database.tracker.progressOf("e-1"))
                .extracting(HandlerProgress::state, HandlerProgress::attempts, HandlerProgress::lastError)
                .containsExactly(tuple(HandlerState.DEAD, 3, "short"));
    }

    /** A scheduler asks for it: with a node's own clock, one that is ahead would forget what was consumed lately. */
    @Test
    void retentionIsCountedByTheDatabasesClock() throws Exception {
        assertThat(UnitOfWork.run(database.connections, database.tracker.purger(null)::now))
                .isPresent();
    }

    private boolean consume(String eventId) throws Exception {
        return database.transactions.run(TxMode.REQUIRED, () -> database.tracker.consume(eventId, "mail"));
    }

    @Test
    void anEventIsConsumedOnceByAHandler() throws Exception {
        assertThat(consume("e-1")).isTrue();
        assertThat(consume("e-1")).isFalse();
        assertThat(consume("e-2")).isTrue();
    }

    @Test
    void consumptionIsRolledBackWithItsTransaction() throws Exception {
        assertThatThrownBy(() -> database.transactions.run(TxMode.REQUIRED, () -> {
                    database.tracker.consume("e-1", "mail");
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");

        assertThat(consume("e-1")).isTrue();
    }

    @Test
    void whatFailedBeforeCanBeConsumed() throws Exception {
        database.tracker.record(
                List.of(new HandlerOutcome("e-1", "mail", HandlerState.RETRY, 2, Duration.ofHours(1), "smtp down")));

        assertThat(consume("e-1")).isTrue();
        assertThat(consume("e-1")).isFalse();
        assertThat(database.tracker.progressOf("e-1").get(0).attempts()).isEqualTo(3);
    }

    @Test
    void consumptionOutsideOfATransactionIsRefused() {
        assertThatThrownBy(() -> database.tracker.consume("e-1", "mail")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aSecondConsumerWaitsForTheFirstAndFindsItConsumed() throws Exception {
        CountDownLatch consumed = new CountDownLatch(1);
        CountDownLatch commit = new CountDownLatch(1);
        CompletableFuture<Boolean> first = CompletableFuture.supplyAsync(() -> inTransaction(() -> {
            boolean mine = database.tracker.consume("e-1", "mail");
            consumed.countDown();
            commit.await();
            return mine;
        }));
        consumed.await();
        CompletableFuture<Boolean> second =
                CompletableFuture.supplyAsync(() -> inTransaction(() -> database.tracker.consume("e-1", "mail")));

        assertThatThrownBy(() -> second.get(200, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        commit.countDown();
        assertThat(first.join()).isTrue();
        assertThat(second.join()).isFalse();
    }

    private Boolean inTransaction(TransactionRunner.Work<Boolean> work) {
        try {
            return database.transactions.run(TxMode.REQUIRED, work);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void thePurgeLeavesWhatBelongsToAnEventThatIsNotDelivered() throws Exception {
        database.transactions.run(TxMode.REQUIRED, () -> {
            database.store.insertNew(database.tx.currentConnection(), event("pending"));
            database.store.insertNew(database.tx.currentConnection(), event("delivered"));
            return database.store.markDone(database.tx.currentConnection(), "delivered");
        });
        for (String id : List.of("pending", "delivered", "gone")) {
            assertThat(consume(id)).isTrue();
        }
        Instant later = Instant.now().plusSeconds(3600);

        assertThat(purge("outbox_event", Instant.now().minusSeconds(3600), 10)).isZero();
        assertThat(purge("outbox_event", later, 1)).isEqualTo(1);
        assertThat(purge("outbox_event", later, 10)).isEqualTo(1);
        assertThat(database.query("SELECT event_id FROM outbox_consumption")).containsExactly("pending");
        assertThat(purge(null, later, 10)).isEqualTo(1);
    }

    private int purge(String outboxTable, Instant before, int limit) throws Exception {
        return UnitOfWork.run(
                database.connections,
                conn -> database.tracker.purger(outboxTable).purge(conn, before, limit));
    }

    private static EventEnvelope event(String id) {
        return EventEnvelope.builder("order.placed")
                .eventId(id)
                .payloadJson("{}")
                .build();
    }

    @Test
    void aMissingTableIsReportedWithTheWayToGetIt() {
        JdbcEventConsumptionTracker elsewhere =
                new JdbcEventConsumptionTracker(server().name(), database.connections, database.tx, "no_such_table");

        assertThatThrownBy(elsewhere::verify)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("table no_such_table does not exist")
                .hasMessageContaining("outbox/idempotency/schema/" + server().name() + ".sql");
    }
}
