package outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import outbox.EventEnvelope;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TestTable;
import outbox.jdbc.archive.EventArchive;
import outbox.model.OutboxEvent;
import outbox.spi.ClaimRequest;
import outbox.spi.EventPurger;
import outbox.spi.Settlement;
import outbox.testing.server.DatabaseServer;

/** What MySQL and MariaDB need that others do not. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class InnoDbRules {
    private static final ClaimRequest REQUEST = new ClaimRequest("a", Duration.ofMinutes(5), Duration.ZERO, 100);

    /** {@code null} stands for a renewal. */
    private static final List<Function<String, Settlement>> OUTCOMES = Arrays.asList(
            null,
            Settlement.Done::new,
            Settlement.Delete::new,
            id -> new Settlement.Release(id, 0),
            id -> new Settlement.Retry(id, 1, Duration.ofSeconds(1), "no"),
            id -> new Settlement.Dead(id, 1, "no"));

    private final Supplier<DatabaseServer> server;
    private final MySqlOutboxStore store;
    private TestTable table;

    InnoDbRules(Supplier<DatabaseServer> server, MySqlOutboxStore store) {
        this.server = server;
        this.store = store;
    }

    @BeforeEach
    void emptyTable() throws SQLException {
        if (table == null) {
            table = new TestTable(server.get(), store);
        } else {
            table.recreate();
        }
    }

    @AfterAll
    void dropDatabase() throws SQLException {
        table.close();
    }

    private Connection connect() throws SQLException {
        return table.dataSource().getConnection();
    }

    private static List<EventEnvelope> events(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> EventEnvelope.ofJson("Happened", "{}"))
                .toList();
    }

    @Test
    void theIsolationLevelOfTheConnectionIsAsBefore() throws SQLException {
        try (Connection conn = connect()) {
            store.insertBatch(conn, events(3));
            for (int level : new int[] {
                Connection.TRANSACTION_REPEATABLE_READ,
                Connection.TRANSACTION_SERIALIZABLE,
                Connection.TRANSACTION_READ_COMMITTED
            }) {
                conn.setTransactionIsolation(level);
                conn.setAutoCommit(true);
                store.claim(conn, REQUEST);
                assertThat(conn.getTransactionIsolation()).isEqualTo(level);
                conn.setAutoCommit(false);
                store.claim(conn, REQUEST);
                conn.commit();
                assertThat(conn.getTransactionIsolation()).isEqualTo(level);
            }
        }
    }

    @Test
    void theIsolationLevelIsAsBeforeAlsoWhenTheClaimFails() throws SQLException {
        try (Connection conn = connect()) {
            MySqlOutboxStore lost = new MySqlOutboxStore("not_there");
            assertThatThrownBy(() -> lost.claim(conn, REQUEST)).isInstanceOf(OutboxStoreException.class);
            assertThat(conn.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
            assertThat(conn.getAutoCommit()).isTrue();
        }
    }

    @Test
    void aClaimUnderWayDoesNotHoldUpTheWriters() throws SQLException {
        try (Connection claimer = connect();
                Connection writer = connect();
                Statement settings = writer.createStatement()) {
            store.insertBatch(writer, events(20));
            claimer.setAutoCommit(false);
            assertThat(store.claim(claimer, REQUEST)).hasSize(20);
            settings.execute("SET SESSION innodb_lock_wait_timeout = 1");
            store.insertBatch(writer, events(20));
            claimer.commit();
            assertThat(store.claim(claimer, REQUEST)).hasSize(20);
            claimer.commit();
        }
    }

    /** A node may stand still at any moment: what it has not committed must be its own rows and no others. */
    @Test
    void aSettlementOrRenewalUnderWayHoldsUpNobodyElse() throws SQLException {
        try (Connection stopped = connect();
                Connection other = connect();
                Statement settings = other.createStatement()) {
            settings.execute("SET SESSION innodb_lock_wait_timeout = 1");
            for (Function<String, Settlement> outcome : OUTCOMES) {
                table.recreate();
                List<String> ids = leaseTo(stopped, "a", 30);
                List<String> others = leaseTo(other, "b", 70);
                stopped.setAutoCommit(false);
                if (outcome == null) {
                    assertThat(store.renew(stopped, "a", ids)).isEmpty();
                } else {
                    assertThat(store.settle(
                                    stopped, "a", ids.stream().map(outcome).toList()))
                            .isEmpty();
                }
                assertThat(store.renew(other, "b", others)).isEmpty();
                assertThat(store.settle(other, "b", done(others))).isEmpty();
                stopped.commit();
                stopped.setAutoCommit(true);
            }
        }
    }

    @Test
    void aPurgeByKeysUnderWayHoldsUpNobodyElse() throws SQLException {
        try (Connection purging = connect();
                Connection other = connect();
                Statement settings = other.createStatement()) {
            settings.execute("SET SESSION innodb_lock_wait_timeout = 1");
            for (EventPurger purger : List.of(store.archivingPurger(EventArchive.NONE), store.agePurger())) {
                table.recreate();
                List<String> ended = leaseTo(other, "a", 30);
                store.settle(other, "a", done(ended));
                List<String> others = leaseTo(other, "b", 70);
                purging.setAutoCommit(false);
                assertThat(purger.purge(purging, Instant.now().plusSeconds(60), 30))
                        .isEqualTo(30);
                assertThat(store.settle(other, "b", done(others))).isEmpty();
                purging.commit();
                purging.setAutoCommit(true);
            }
        }
    }

    @Test
    void smallEventsOfBytesAreInsertedByOneStatement() throws SQLException {
        try (Connection real = connect()) {
            AtomicInteger inserts = new AtomicInteger();
            Connection conn = intercepting(real, sql -> inserts.addAndGet(sql.startsWith("INSERT") ? 1 : 0));
            store.insertBatch(
                    conn,
                    IntStream.range(0, 50)
                            .mapToObj(i -> EventEnvelope.builder("Blob")
                                    .payloadBytes(new byte[] {1, 2, 3})
                                    .build())
                            .toList());
            assertThat(inserts).hasValue(1);
        }
    }

    private static List<Settlement> done(List<String> ids) {
        return ids.stream().map(id -> (Settlement) new Settlement.Done(id)).toList();
    }

    private List<String> leaseTo(Connection conn, String owner, int count) throws SQLException {
        List<EventEnvelope> events = events(count);
        store.insertLeased(conn, events, owner);
        return events.stream().map(EventEnvelope::eventId).toList();
    }

    @Test
    void aClaimReadsNoMoreThanItTakes() throws SQLException {
        try (Connection conn = connect()) {
            store.insertLeased(conn, events(3000), "gone");
            store.expireOthers(conn, "nobody");
            List<String> ids =
                    store.claim(conn, new ClaimRequest("a", Duration.ofMinutes(5), Duration.ZERO, 1500)).stream()
                            .map(OutboxEvent::eventId)
                            .toList();
            store.settle(conn, "a", done(ids));
            try (Statement statement = conn.createStatement()) {
                statement.execute("FLUSH STATUS");
            }
            assertThat(store.claim(conn, REQUEST)).hasSize(100);
            Map<String, Long> work = work(conn);
            assertThat(work.get("Sort_rows")).isZero();
            assertThat(work.get("Handler_read_rnd_next")).as("full scan").isLessThan(50);
            assertThat(work.get("Handler_read_next")).as("index entries").isLessThan(500);
        }
    }

    @Test
    void anOrderedClaimDoesNotReadAnAggregateAgainForEachOfItsRows() throws SQLException {
        try (Connection conn = connect();
                Statement statement = conn.createStatement()) {
            FewAggregates.write(conn, store, REQUEST.owner());
            statement.execute("FLUSH STATUS");
            assertThat(store.claimOrdered(conn, REQUEST)).hasSize(REQUEST.limit());
            assertThat(work(conn).values().stream().mapToLong(Long::longValue).sum())
                    .isLessThan(FewAggregates.MAY_READ);
        }
    }

    @Test
    void anOrderedClaimDoesNotReadWhatWasDelivered() throws SQLException {
        List<String> statements = new ArrayList<>();
        try (Connection conn = connect();
                Statement statement = conn.createStatement()) {
            store.orderedSchema().apply(conn);
            store.insertBatch(conn, FewAggregates.events("account", 3000));
            statement.execute("UPDATE outbox_event SET status = 1, done_at = created_at");
            statement.execute("OPTIMIZE TABLE outbox_event"); // entries of the former status are gone
            store.insertBatch(conn, FewAggregates.events("account", 200));
            assertThat(store.claimOrdered(intercepting(conn, statements::add), REQUEST))
                    .hasSize(REQUEST.limit());
            String lookAgain = statements.stream()
                    .filter(sql -> sql.contains("seq <= ?"))
                    .findFirst()
                    .orElseThrow();
            assertThat(rowsToRead(conn, lookAgain)).isBetween(1L, 1000L);
        }
    }

    /** As the optimizer says it: entries that the condition on an index drops are in no counter. */
    private static long rowsToRead(Connection conn, String sql) throws SQLException {
        try (PreparedStatement explain = conn.prepareStatement("EXPLAIN " + sql)) {
            int parameters = explain.getParameterMetaData().getParameterCount();
            for (int i = 1; i < parameters; i++) {
                explain.setString(i, i == 1 ? "account" : "Order");
            }
            explain.setLong(parameters, Long.MAX_VALUE);
            try (ResultSet row = explain.executeQuery()) {
                row.next();
                return row.getLong("rows");
            }
        }
    }

    private static Map<String, Long> work(Connection conn) throws SQLException {
        Map<String, Long> status = new HashMap<>();
        try (Statement statement = conn.createStatement();
                ResultSet rows = statement.executeQuery("SHOW SESSION STATUS WHERE Variable_name LIKE 'Handler_read%'"
                        + " OR Variable_name LIKE 'Sort_rows'")) {
            while (rows.next()) {
                status.put(rows.getString(1), rows.getLong(2));
            }
        }
        return status;
    }

    @Test
    void aServerWithoutSkipLockedIsServedByTheClaimOfTheSpecification() throws SQLException {
        try (Connection real = connect()) {
            Connection conn = refusing(real, "SKIP LOCKED", new SQLException("syntax error", "42000", 1064));
            List<EventEnvelope> events = events(5);
            store.insertBatch(conn, events);
            MySqlOutboxStore old = store.withJsonCodec(store.jsonCodec());
            assertThat(old.claim(conn, new ClaimRequest("a", Duration.ofMinutes(5), Duration.ZERO, 2)))
                    .hasSize(2);
            assertThat(old.claim(conn, new ClaimRequest("b", Duration.ofMinutes(5), Duration.ZERO, 10)))
                    .hasSize(3);
            assertThat(old.claim(conn, REQUEST)).isEmpty();
            assertThat(old.renew(conn, "a", List.of(events.get(0).eventId()))).isEmpty();
        }
    }

    @Test
    void aDeadlockIsTriedAgainWhereTheTransactionIsTheClaimsOwn() throws SQLException {
        try (Connection real = connect()) {
            store.insertBatch(real, events(5));
            Connection twice = failing(real, 2, new SQLException("Deadlock found", "40001", 1213));
            assertThat(store.claim(twice, REQUEST)).hasSize(5);
            assertThat(real.getAutoCommit()).isTrue();

            real.setAutoCommit(false);
            Connection once = failing(real, 1, new SQLException("Deadlock found", "40001", 1213));
            assertThatThrownBy(() -> store.claim(once, REQUEST)).isInstanceOf(OutboxStoreException.class);
            real.rollback();
        }
    }

    private static Connection refusing(Connection real, String text, SQLException refusal) {
        return intercepting(real, sql -> {
            if (sql.contains(text)) {
                throw refusal;
            }
        });
    }

    private static Connection failing(Connection real, int times, SQLException failure) {
        int[] left = {times};
        return intercepting(real, sql -> {
            if (sql.contains("SKIP LOCKED") && left[0]-- > 0) {
                throw failure;
            }
        });
    }

    private interface Interception {
        void prepare(String sql) throws SQLException;
    }

    private static Connection intercepting(Connection real, Interception interception) {
        return (Connection) Proxy.newProxyInstance(
                InnoDbRules.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    if (method.getName().equals("prepareStatement")) {
                        interception.prepare((String) args[0]);
                    }
                    try {
                        return method.invoke(real, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
