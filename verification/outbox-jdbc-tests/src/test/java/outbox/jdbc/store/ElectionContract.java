package outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.jdbc.TestTable;
import outbox.spi.ConnectionProvider;
import outbox.spi.Election;
import outbox.spi.Settlement;
import outbox.testing.server.DatabaseServer;

/** One node at a time has a duty, and nothing of it stays behind. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(60)
abstract class ElectionContract {
    private final Supplier<DatabaseServer> server;
    private final AbstractJdbcOutboxStore store;
    private TestTable table;

    ElectionContract(Supplier<DatabaseServer> server, AbstractJdbcOutboxStore store) {
        this.server = server;
        this.store = store;
    }

    @BeforeAll
    void create() throws SQLException {
        table = new TestTable(server.get(), store);
    }

    @AfterAll
    void drop() throws SQLException {
        table.close();
    }

    private ConnectionProvider connections() {
        return table.dataSource()::getConnection;
    }

    private Election anotherNode() {
        return store.withTable(store.tableName()).election();
    }

    @Test
    void anotherNodeIsNotElectedWhileOneIsAtWorkAndIsAfterwards() throws SQLException {
        Optional<Optional<String>> meanwhile = store.election()
                .run(connections(), "duty", conn -> anotherNode().run(connections(), "duty", c -> "no"));
        assertThat(meanwhile).contains(Optional.empty());
        assertThat(anotherNode().run(connections(), "duty", conn -> "yes")).contains("yes");
    }

    @Test
    void dutiesAndTablesAreApart() throws SQLException {
        Optional<List<String>> others = store.election().run(connections(), "duty", conn -> {
            List<String> elected = new ArrayList<>();
            anotherNode().run(connections(), "other duty", c -> "other duty").ifPresent(elected::add);
            store.withTable("other_table")
                    .election()
                    .run(connections(), "duty", c -> "other table")
                    .ifPresent(elected::add);
            return elected;
        });
        assertThat(others.orElseThrow()).containsExactly("other duty", "other table");
    }

    @Test
    void whoFailsGivesTheDutyBackAndItsWorkIsUndone() throws SQLException {
        EventEnvelope event = EventEnvelope.ofJson("E", "{}");
        assertThatThrownBy(() -> store.election().run(connections(), "duty", conn -> {
                    store.insertNew(conn, event);
                    throw new IllegalStateException("in the middle of it");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(anotherNode().run(connections(), "duty", conn -> "yes")).contains("yes");
        try (Connection conn = table.dataSource().getConnection()) {
            assertThat(store.lookup().one(conn, event.eventId())).isNull();
        }
    }

    @Test
    void aConnectionThatDoesNotCommitByItselfServesAsWell() throws SQLException {
        EventEnvelope event = EventEnvelope.ofJson("E", "{}");
        HikariConfig config = new HikariConfig();
        config.setDataSource(table.dataSource());
        config.setMaximumPoolSize(1);
        config.setAutoCommit(false);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            for (int i = 0; i < 2; i++) {
                assertThat(store.election().run(pool::getConnection, "duty", own -> "yes"))
                        .contains("yes");
            }
            store.election().run(pool::getConnection, "duty", own -> {
                store.insertNew(own, event);
                return "written";
            });
        }
        try (Connection conn = table.dataSource().getConnection()) {
            assertThat(store.lookup().one(conn, event.eventId())).isNotNull();
        }
    }

    @Test
    void ofManyNodesOneIsAtWorkAtATime() throws Exception {
        AtomicInteger atWork = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger turns = new AtomicInteger();
        ExecutorService nodes = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> ends = new ArrayList<>();
            for (int node = 0; node < 4; node++) {
                ends.add(nodes.submit(() -> {
                    while (turns.get() < 50) {
                        anotherNode().run(connections(), "duty", conn -> {
                            most.accumulateAndGet(atWork.incrementAndGet(), Math::max);
                            Thread.onSpinWait();
                            atWork.decrementAndGet();
                            return turns.incrementAndGet();
                        });
                    }
                    return null;
                }));
            }
            for (Future<?> end : ends) {
                end.get();
            }
        } finally {
            nodes.shutdownNow();
        }
        assertThat(most).hasValue(1);
    }

    /** A purge under way, not committed yet, locks nothing that others need. In a tiny table all rows would be read. */
    @Test
    void whileABatchIsBeingPurgedOthersWriteClaimAndSettle() throws Exception {
        List<EventEnvelope> old = many(2000);
        try (Connection conn = table.dataSource().getConnection()) {
            store.insertLeased(conn, old, "me");
            store.settle(conn, "me", settled(old));
        }
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            Optional<Integer> purged = store.election().run(connections(), "purge", conn -> {
                int deleted = store.purger().purge(conn, Instant.now().plus(Duration.ofDays(1)), 50);
                await(other.submit(() -> {
                    try (Connection another = table.dataSource().getConnection()) {
                        List<EventEnvelope> fresh = many(20);
                        store.insertLeased(another, fresh, "other");
                        return store.settle(another, "other", settled(fresh));
                    }
                }));
                return deleted;
            });
            assertThat(purged).contains(50);
        } finally {
            other.shutdownNow();
        }
    }

    private static void await(Future<?> end) {
        try {
            end.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<EventEnvelope> many(int count) {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(EventEnvelope.ofJson("E", "{}"));
        }
        return events;
    }

    private static List<Settlement> settled(List<EventEnvelope> events) {
        List<Settlement> settlements = new ArrayList<>();
        events.forEach(event -> settlements.add(new Settlement.Done(event.eventId())));
        return settlements;
    }
}
