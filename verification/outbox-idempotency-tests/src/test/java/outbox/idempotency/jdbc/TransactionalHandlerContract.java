package outbox.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import outbox.Outbox;
import outbox.domain.DomainEvent;
import outbox.domain.EventName;
import outbox.domain.TransactionRunner;
import outbox.domain.TxMode;
import outbox.domain.handler.EventHandler;
import outbox.domain.handler.EventHandlers;
import outbox.domain.handler.RetryRule;
import outbox.idempotency.Database;
import outbox.jdbc.store.JdbcOutbox;
import outbox.testing.server.DatabaseServer;

/** A handler whose transaction also records its consumption, on the real engine and a real database. */
abstract class TransactionalHandlerContract {
    private static final int CRASHES = 200;

    @EventName("money.moved")
    public record MoneyMoved(String eventId, Instant occurredAt, int number) implements DomainEvent {
        MoneyMoved(int number) {
            this("m-" + number, Instant.now(), number);
        }
    }

    private Database database;
    private EventHandlers handlers;
    private Outbox outbox;

    abstract DatabaseServer server();

    /** Ends a connection as the end of its process would. */
    void sever(HikariDataSource pool, Connection connection) throws SQLException {
        connection.abort(Runnable::run);
    }

    @BeforeEach
    void open() {
        database = new Database(server(), 12);
    }

    @AfterEach
    void close() {
        outbox.close();
        handlers.close();
        database.close();
    }

    private void start(Object bean, TransactionRunner transactions) {
        handlers = EventHandlers.scan(bean)
                .serializer(database.serializer)
                .tracker(database.tracker)
                .transactions(transactions)
                .defaultRetry(new RetryRule(attempts -> 1, 10))
                .build();
        outbox = JdbcOutbox.singleNode(database.dataSource, database.store)
                .transactions(database.tx)
                .listeners(handlers)
                .pollInterval(Duration.ofMillis(50))
                .build()
                .start();
    }

    private void publish(int count) throws Exception {
        List<MoneyMoved> events =
                IntStream.range(0, count).mapToObj(MoneyMoved::new).toList();
        database.transactions.run(TxMode.REQUIRED, () -> {
            database.publisher.publishAll(events);
            return count;
        });
    }

    private void awaitAllDone(int count) {
        await().atMost(Duration.ofMinutes(3))
                .until(() -> database.query("SELECT event_id FROM outbox_event WHERE status = 1")
                                .size()
                        == count);
    }

    private static List<String> names(int count) {
        return IntStream.range(0, count).mapToObj(i -> "effect-" + i).sorted().toList();
    }

    /** Each event crashes once: after its effect, with its connection, or after the commit that nobody hears of. */
    class Crashing implements TransactionRunner {
        final Map<Integer, Integer> calls = new ConcurrentHashMap<>();
        final AtomicInteger crashes = new AtomicInteger();
        final ThreadLocal<Boolean> crashAfterCommit = ThreadLocal.withInitial(() -> false);

        @EventHandler(name = "ledger", transactional = true)
        void on(MoneyMoved event) throws SQLException {
            int call = calls.merge(event.number(), 1, Integer::sum);
            database.effect("effect-" + event.number());
            if (call > 1) {
                return;
            }
            crashes.incrementAndGet();
            switch (event.number() % 4) {
                case 0 -> throw new IllegalStateException("crash after the effect, before the commit");
                case 1 -> sever(database.dataSource, database.tx.currentConnection());
                default -> crashAfterCommit.set(true);
            }
        }

        @Override
        public <T extends @Nullable Object> T run(TxMode mode, Work<T> work) throws Exception {
            T result = database.transactions.run(mode, work);
            if (crashAfterCommit.get()) {
                crashAfterCommit.set(false);
                throw new IllegalStateException("crash after the commit, before the mark");
            }
            return result;
        }
    }

    @Test
    @DisplayName("T3: the effect of a transactional handler happens exactly once under 200 crashes")
    void theEffectHappensExactlyOnceUnderTwoHundredCrashes() throws Exception {
        Crashing crashing = new Crashing();
        start(crashing, crashing);

        publish(CRASHES);
        awaitAllDone(CRASHES);

        assertThat(crashing.crashes).hasValue(CRASHES);
        assertThat(database.effects()).isEqualTo(names(CRASHES));
        assertThat(crashing.calls)
                .allSatisfy((number, calls) -> assertThat(calls).isEqualTo(number % 4 < 2 ? 2 : 1));
        assertThat(database.query("SELECT DISTINCT state FROM outbox_consumption"))
                .containsExactly("1");
    }

    /** Fails for one event of each batch. */
    class Batches {
        final List<Integer> sizes = new ArrayList<>();
        final AtomicInteger poison = new AtomicInteger(3);

        @EventHandler(name = "batch", transactional = true, batch = 20, concurrency = 1)
        synchronized void on(List<MoneyMoved> events) throws SQLException {
            sizes.add(events.size());
            for (MoneyMoved event : events) {
                database.effect("effect-" + event.number());
                if (event.number() % 10 == 5 && poison.getAndDecrement() > 0) {
                    throw new IllegalStateException("unlucky " + event.number());
                }
            }
        }
    }

    @Test
    @DisplayName("P9: a transactional batch that fails is rolled back and its events are tried one by one")
    void aTransactionalBatchThatFailsIsTriedOneByOne() throws Exception {
        Batches batches = new Batches();
        start(batches, database.transactions);

        publish(60);
        awaitAllDone(60);

        assertThat(database.effects()).isEqualTo(names(60));
        assertThat(batches.sizes).anyMatch(size -> size > 1).contains(1);
    }

    class Chain {
        @EventHandler(name = "chain", transactional = true)
        void on(MoneyMoved event) throws SQLException {
            database.effect("effect-" + event.number());
            if (event.number() < 5) {
                database.publisher.publish(new MoneyMoved(event.number() + 1));
            }
        }
    }

    @Test
    void whatAHandlerPublishesIsPartOfItsTransaction() throws Exception {
        start(new Chain(), database.transactions);

        publish(1);
        awaitAllDone(6);

        assertThat(database.effects()).isEqualTo(names(6));
    }
}
