package outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.jdbc.TestTable;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ClaimRequest;
import outbox.spi.ConnectionProvider;
import outbox.spi.Settlement;
import outbox.spi.UnitOfWork;
import outbox.testing.server.EmbeddedPostgres;

/** What PostgreSQL does for us, and what it is asked not to do. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PostgresRulesIT {
    private final PostgresOutboxStore store = new PostgresOutboxStore();
    private TestTable table;

    @BeforeEach
    void emptyTable() throws SQLException {
        if (table == null) {
            table = new TestTable(EmbeddedPostgres.shared(), store);
        } else {
            table.recreate();
        }
    }

    @AfterAll
    void dropDatabase() throws SQLException {
        table.close();
    }

    private static ClaimRequest claim(int limit) {
        return new ClaimRequest("a", Duration.ofMinutes(5), Duration.ZERO, limit);
    }

    private static List<EventEnvelope> events(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> EventEnvelope.ofJson("Happened", "{\"i\":" + i + "}"))
                .toList();
    }

    private static long number(Connection conn, String sql) throws SQLException {
        try (Statement statement = conn.createStatement()) {
            statement.execute("SELECT pg_stat_force_next_flush()");
            try (ResultSet row = statement.executeQuery(sql)) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    @Test
    void aClaimReadsNoMoreThanItTakesWhateverThePlannerKnows() throws SQLException {
        try (Connection conn = table.dataSource().getConnection();
                Statement statement = conn.createStatement()) {
            statement.execute("ALTER TABLE outbox_event SET (autovacuum_enabled = off)");
            store.insertBatch(conn, events(20_000));
            assertClaimReadsLittle(conn, "no statistics");
            statement.execute("ANALYZE outbox_event");
            assertClaimReadsLittle(conn, "true statistics");

            statement.execute("UPDATE outbox_event SET status = 1, done_at = now(), locked_by = NULL");
            statement.execute("VACUUM ANALYZE outbox_event");
            store.insertBatch(conn, events(20_000));
            assertClaimReadsLittle(conn, "statistics of a time when nothing was pending");
        }
    }

    @Test
    void anOrderedClaimDoesNotReadAnAggregateAgainForEachOfItsRows() throws SQLException {
        String entries = "SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'outbox_event'";
        try (Connection conn = table.dataSource().getConnection();
                Statement statement = conn.createStatement()) {
            statement.execute("ALTER TABLE outbox_event SET (autovacuum_enabled = off)");
            FewAggregates.write(conn, store, "a");
            for (String when : List.of("no statistics", "true statistics")) {
                long before = number(conn, entries);
                assertThat(store.claimOrdered(conn, claim(100))).as(when).hasSize(100);
                assertThat(number(conn, entries) - before).as(when).isLessThan(FewAggregates.MAY_READ);
                statement.execute("ANALYZE outbox_event");
            }
        }
    }

    private void assertClaimReadsLittle(Connection conn, String when) throws SQLException {
        String entries = "SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname = 'outbox_event_pending'";
        String scans = "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'outbox_event'";
        store.expireOthers(conn, "nobody");
        long entriesBefore = number(conn, entries);
        long scansBefore = number(conn, scans);
        assertThat(store.claim(conn, claim(100))).hasSize(100);
        assertThat(number(conn, entries) - entriesBefore).as(when).isLessThanOrEqualTo(310);
        assertThat(number(conn, scans) - scansBefore).as(when).isZero();
    }

    /** The plan of a prepared statement may be from a time when the table was next to empty. */
    @Test
    void whatComesAgainIsWrittenByItsKeyWhateverThePlannerKnew() throws SQLException {
        List<Function<String, Settlement>> kinds = List.of(
                id -> new Settlement.Release(id, 0, Duration.ofMillis(1)),
                id -> new Settlement.Retry(id, 1, Duration.ofMillis(1), "no"),
                id -> new Settlement.Dead(id, 1, "no"));
        for (Function<String, Settlement> kind : kinds) {
            table.recreate();
            try (Connection conn = table.dataSource().getConnection();
                    Statement statement = conn.createStatement()) {
                statement.execute("ALTER TABLE outbox_event SET (autovacuum_enabled = off)");
                for (int i = 0; i < 15; i++) { // until driver and server have prepared it for good
                    store.insertBatch(conn, events(2));
                    store.settle(conn, "a", claimed(conn, 2, kind));
                }
                store.insertBatch(conn, events(20_000));
                String scans = "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'outbox_event'";
                List<Settlement> settlements = claimed(conn, 500, kind);
                long before = number(conn, scans);
                assertThat(store.settle(conn, "a", settlements)).isEmpty();
                assertThat(number(conn, scans) - before)
                        .as(kind.apply("a").toString())
                        .isZero();
            }
        }
    }

    private List<Settlement> claimed(Connection conn, int count, Function<String, Settlement> kind) {
        return store.claim(conn, claim(count)).stream()
                .map(row -> kind.apply(row.eventId()))
                .toList();
    }

    @Test
    void claimsAreUpdatesThatTouchNoIndex() throws SQLException {
        try (Connection conn = table.dataSource().getConnection()) {
            store.insertBatch(conn, events(2000));
            assertThat(store.claim(conn, claim(2000))).hasSize(2000);
            long updates = number(conn, "SELECT n_tup_upd FROM pg_stat_user_tables WHERE relname = 'outbox_event'");
            long hot = number(conn, "SELECT n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'outbox_event'");
            assertThat(updates).isEqualTo(2000);
            // Not all: a lease makes a row a little longer, so a page of very short rows overflows by a few.
            assertThat(hot).isGreaterThan(1600);
        }
    }

    @Test
    void aPurgeReadsNoMoreThanItDeletes() throws SQLException {
        try (Connection conn = table.dataSource().getConnection();
                Statement statement = conn.createStatement()) {
            store.insertBatch(conn, events(5000));
            statement.execute("ALTER TABLE outbox_event SET (autovacuum_enabled = off)");
            statement.execute("UPDATE outbox_event SET status = 1, done_at = now() - interval '1 day'");
            String entries = "SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname = 'outbox_event_done'";
            String scans = "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'outbox_event'";
            long entriesBefore = number(conn, entries);
            long scansBefore = number(conn, scans);
            conn.setAutoCommit(false);
            assertThat(store.purger().purge(conn, Instant.now(), 100)).isEqualTo(100);
            conn.commit();
            conn.setAutoCommit(true);
            assertThat(number(conn, entries) - entriesBefore).isLessThanOrEqualTo(110);
            assertThat(number(conn, scans) - scansBefore).isZero();
        }
    }

    @Test
    void theDriverNeedsNoParticularSettings() throws SQLException {
        EventEnvelope event = EventEnvelope.builder("Placed")
                .header("trace", "1")
                .payloadJson("{\"a\": 1}")
                .build();
        for (String options : List.of(
                "",
                "preferQueryMode=simple",
                "prepareThreshold=0",
                "prepareThreshold=1",
                "stringtype=unspecified",
                "reWriteBatchedInserts=true",
                "binaryTransfer=false",
                "options=-c%20TimeZone=Asia/Kathmandu")) {
            emptyTable();
            String url = table.database().jdbcUrl();
            try (Connection conn = DriverManager.getConnection(
                    url + (url.contains("?") ? "&" : "?") + options,
                    table.database().username(),
                    table.database().password())) {
                store.insertNew(conn, event);
                store.insertBatch(conn, events(3));
                assertThat(store.pollPending(conn, Instant.now().plusSeconds(60), Duration.ZERO, 10))
                        .as(options)
                        .hasSize(4);
                assertThat(store.claim(conn, claim(10))).as(options).hasSize(4);
                assertThat(store.claim(conn, claim(10))).as(options).isEmpty();
                assertThat(store.renew(conn, "a", List.of(event.eventId()))).isEmpty();
                assertThat(store.markRetry(conn, event.eventId(), Instant.now(), "again"))
                        .isOne();
            }
        }
    }

    @Test
    void textThatJsonbCannotHoldIsRefusedBeforeTheStatementWithTheEventsName() throws SQLException {
        EventEnvelope event = EventEnvelope.ofJson("Nul", "{\"a\":\"\\u0000\"}");
        try (Connection conn = table.dataSource().getConnection()) {
            assertThatThrownBy(() -> store.insertNew(conn, event))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll("Nul " + event.eventId(), "offset 6");
        }
    }

    @Test
    void aRowFromBeforeAllTimesIsDeadAndStopsNoOther() throws SQLException {
        List<EventEnvelope> events = events(3);
        try (Connection conn = table.dataSource().getConnection()) {
            store.insertBatch(conn, events);
        }
        table.execute("UPDATE outbox_event SET created_at = '-infinity' WHERE event_id = '"
                + events.get(1).eventId() + "'");
        relay();
        assertThat(statuses(events)).containsExactly(1, 3, 1);
    }

    @Test
    void anEventThatIsDueSinceEverIsClaimedAndSoAreThoseBehindIt() throws SQLException {
        List<EventEnvelope> events = events(3);
        try (Connection conn = table.dataSource().getConnection()) {
            store.insertBatch(conn, events);
            table.execute("UPDATE outbox_event SET available_at = '-infinity' WHERE event_id = '"
                    + events.get(1).eventId() + "'");
            PostgresOutboxStore fresh = new PostgresOutboxStore(); // it knows no place to start from
            assertThat(fresh.claim(conn, claim(1))).hasSize(1);
            assertThat(fresh.claim(conn, claim(1))).hasSize(1); // starts where the first one found its row
            assertThat(fresh.claim(conn, claim(2))).hasSize(1);
        }
    }

    private void relay() {
        try (Outbox outbox = JdbcOutbox.multiNode(table.dataSource(), store)
                .listeners(new DefaultListenerRegistry().register("Happened", event -> {}))
                .pollOnDemand()
                .build()
                .start()) {
            outbox.relay().recoverOnce();
        }
    }

    private List<Integer> statuses(List<EventEnvelope> events) throws SQLException {
        List<Integer> statuses = new ArrayList<>();
        try (Connection conn = table.dataSource().getConnection()) {
            for (EventEnvelope event : events) {
                statuses.add(table.read(conn, event.eventId()).status().code());
            }
        }
        return statuses;
    }

    @Test
    void whyAConnectionBrokeIsNotHiddenByWhatBreaksAfterIt() throws SQLException {
        try (Connection broken = table.dataSource().getConnection()) {
            table.execute("SELECT pg_terminate_backend(" + number(broken, "SELECT pg_backend_pid()") + ")");
            assertThatThrownBy(() -> store.claimPending(broken, "a", Instant.now(), Instant.now(), Duration.ZERO, 10))
                    .hasMessageContaining("57P01");
        }
        ConnectionProvider withoutAutoCommit = () -> {
            Connection conn = table.dataSource().getConnection();
            conn.setAutoCommit(false);
            return conn;
        };
        assertThatThrownBy(() -> UnitOfWork.single(
                        withoutAutoCommit, conn -> number(conn, "SELECT pg_terminate_backend(pg_backend_pid())")))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("57P01"));
    }
}
