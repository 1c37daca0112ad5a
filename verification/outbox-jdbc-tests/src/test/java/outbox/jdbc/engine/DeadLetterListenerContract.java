package outbox.jdbc.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.TestTable;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.listener.ControlledListener;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.DeadLetter;
import outbox.testing.server.DatabaseServer;

/** What a dead letter listener can rely on, on each database. */
abstract class DeadLetterListenerContract {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration LEASE = Duration.ofSeconds(5);

    private final Supplier<DatabaseServer> server;
    private final AbstractJdbcOutboxStore store;
    private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    private final List<DeadLetter> letters = new CopyOnWriteArrayList<>();
    private final List<Boolean> last = new CopyOnWriteArrayList<>();
    private TestTable table;

    DeadLetterListenerContract(Supplier<DatabaseServer> server, AbstractJdbcOutboxStore store) {
        this.server = server;
        this.store = store;
    }

    @BeforeEach
    void createTable() throws SQLException {
        table = new TestTable(server.get(), store);
    }

    @AfterEach
    void dropTable() throws SQLException {
        table.close();
    }

    private OutboxBuilder node() {
        return JdbcOutbox.multiNode(table.dataSource(), store)
                .transactions(txContext)
                .leaseTime(LEASE)
                .pollInterval(Duration.ofMillis(100))
                .maxAttempts(2)
                .retryPolicy(attempt -> 1)
                .listeners(new DefaultListenerRegistry()
                        .register("Bad", event -> {
                            last.add(event.isLastAttempt());
                            throw new IllegalStateException("no stock");
                        })
                        .register(
                                "Once",
                                ControlledListener.of(event -> {
                                            last.add(event.isLastAttempt());
                                            throw new IllegalStateException("no stock");
                                        })
                                        .maxAttempts(1)
                                        .build())
                        .register("Good", event -> {}));
    }

    private EventEnvelope write(Outbox outbox, String type) throws Exception {
        EventEnvelope event = EventEnvelope.ofJson(type, "{\"order\":42}");
        JdbcTransactionManager transactions =
                new JdbcTransactionManager(new DataSourceConnectionProvider(table.dataSource()), txContext);
        try (JdbcTransactionManager.Transaction transaction = transactions.begin()) {
            outbox.writer().write(event);
            transaction.commit();
        }
        return event;
    }

    private int count(String where) throws SQLException {
        try (Connection conn = table.dataSource().getConnection();
                Statement statement = conn.createStatement();
                ResultSet rows =
                        statement.executeQuery("SELECT COUNT(*) FROM " + store.tableName() + " WHERE " + where)) {
            rows.next();
            return rows.getInt(1);
        }
    }

    private void awaitAnnounced(int dead) {
        await().atMost(LONG)
                .untilAsserted(() ->
                        assertThat(count("status = 3 AND locked_by IS NULL")).isEqualTo(dead));
    }

    @Test
    void itIsCalledOnceAfterTheRowIsDead() throws Exception {
        List<Integer> deadRows = new CopyOnWriteArrayList<>();
        try (Outbox outbox = node().deadLetterListener(letter -> {
                    deadRows.add(count("status = 3"));
                    letters.add(letter);
                })
                .build()
                .start()) {
            EventEnvelope bad = write(outbox, "Bad");
            write(outbox, "Good");
            awaitAnnounced(1);
            assertThat(letters).hasSize(1);
            DeadLetter letter = letters.get(0);
            assertThat(letter.event()).isEqualTo(bad);
            assertThat(letter.event().payloadJson()).contains("42");
            assertThat(letter.readable()).isTrue();
            assertThat(letter.attempts()).isEqualTo(2);
            assertThat(letter.error()).contains("no stock");
            assertThat(deadRows).containsExactly(1);
            assertThat(last).containsExactly(false, true);
        }
    }

    @Test
    void itIsCalledForAnEventWhoseProcessesDied() throws Exception {
        EventEnvelope killer = EventEnvelope.ofJson("Good", "{}");
        try (Connection conn = table.dataSource().getConnection();
                Statement statement = conn.createStatement()) {
            store.insertNew(conn, killer);
            statement.executeUpdate("UPDATE " + store.tableName()
                    + " SET attempts = 2, locked_by = 'a dead process', locked_at = available_at");
        }
        try (Outbox outbox = node().deadLetterListener(letters::add).build().start()) {
            awaitAnnounced(1);
            assertThat(letters).hasSize(1);
            assertThat(letters.get(0).event().eventId()).isEqualTo(killer.eventId());
            assertThat(letters.get(0).error()).contains("ProcessDiedException");
        }
    }

    @Test
    void theLastAttemptGoesByTheRulesOfTheListener() throws Exception {
        try (Outbox outbox = node().deadLetterListener(letters::add).build().start()) {
            write(outbox, "Once");
            awaitAnnounced(1);
            assertThat(last).containsExactly(true);
        }
    }

    @Test
    void eventsWithoutListenerAndUndecodableRowsAreAnnouncedToo() throws Exception {
        EventEnvelope broken;
        try (Outbox writer = JdbcOutbox.writerOnly(table.dataSource(), store)
                .transactions(txContext)
                .build()) {
            broken = write(writer, "Good");
        }
        try (Connection conn = table.dataSource().getConnection()) {
            table.writeHeaders(conn, broken.eventId(), "[1]");
        }
        try (Outbox outbox = node().deadLetterListener(letters::add).build().start()) {
            EventEnvelope unknown = write(outbox, "Unknown");
            awaitAnnounced(2);
            assertThat(letters)
                    .extracting(letter -> letter.event().eventId())
                    .containsExactlyInAnyOrder(broken.eventId(), unknown.eventId());
            assertThat(letters)
                    .filteredOn(letter -> !letter.readable())
                    .singleElement()
                    .satisfies(letter -> {
                        assertThat(letter.event()).isEqualTo(broken);
                        assertThat(letter.error()).contains("undecodable");
                    });
        }
    }

    @Test
    void whatANodeCouldNotAnnounceBeforeItEndedIsAnnouncedByAnother() throws Exception {
        EventEnvelope event;
        try (Outbox writer = JdbcOutbox.writerOnly(table.dataSource(), store)
                .transactions(txContext)
                .build()) {
            event = write(writer, "Bad");
        }
        try (Connection conn = table.dataSource().getConnection()) { // a process that died in the middle of the call
            assertThat(store.markDead(conn, event.eventId(), "no stock")).isEqualTo(1);
            store.markUnannounced(conn, List.of(event.eventId()));
            assertThat(store.beginAnnouncement(conn, event.eventId(), LEASE)).isTrue();
            assertThat(store.beginAnnouncement(conn, event.eventId(), Duration.ofHours(1)))
                    .isFalse();
        }
        try (Outbox outbox = node().deadLetterListener(letters::add).build().start()) {
            awaitAnnounced(1);
            assertThat(letters).extracting(DeadLetter::event).containsExactly(event);
        }
    }

    @Test
    void aListenerThatThrowsIsCalledAgain() throws Exception {
        try (Outbox outbox = node().deadLetterListener(letter -> {
                    letters.add(letter);
                    if (letters.size() == 1) {
                        throw new IllegalStateException("mail server is down");
                    }
                })
                .build()
                .start()) {
            write(outbox, "Bad");
            awaitAnnounced(1);
            assertThat(letters).hasSize(2);
        }
    }

    @Test
    void aListenerThatHangsHoldsUpNoDelivery() throws Exception {
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (Outbox outbox = node().deadLetterListener(letter -> {
                    hanging.countDown();
                    end.await();
                })
                .build()
                .start()) {
            write(outbox, "Bad");
            hanging.await();
            write(outbox, "Good");
            write(outbox, "Once");
            await().atMost(LONG).untilAsserted(() -> {
                assertThat(count("status = 1")).isEqualTo(1);
                assertThat(count("status = 3")).isEqualTo(2);
            });
            end.countDown();
            awaitAnnounced(2);
        }
    }

    @Test
    void twoNodesAnnounceEachLetterOnce() throws Exception {
        Set<String> ids = ConcurrentHashMap.newKeySet();
        try (Outbox one = node().leaseTime(LONG)
                        .deadLetterListener(letters::add)
                        .build()
                        .start();
                Outbox two = node().leaseTime(LONG)
                        .deadLetterListener(letters::add)
                        .build()
                        .start()) {
            for (int i = 0; i < 30; i++) {
                ids.add(write(i % 2 == 0 ? one : two, "Once").eventId());
            }
            awaitAnnounced(30);
        }
        assertThat(letters)
                .extracting(letter -> letter.event().eventId())
                .hasSize(30)
                .containsExactlyInAnyOrderElementsOf(ids);
    }

    @Test
    void aReplayedEventIsNotAnnouncedForItsFirstDeath() throws Exception {
        EventEnvelope event;
        try (Outbox writer = JdbcOutbox.writerOnly(table.dataSource(), store)
                .transactions(txContext)
                .build()) {
            event = write(writer, "Good");
        }
        try (Connection conn = table.dataSource().getConnection()) {
            assertThat(store.markDead(conn, event.eventId(), "no stock")).isEqualTo(1);
            store.markUnannounced(conn, List.of(event.eventId()));
            assertThat(store.unannounced(conn, LEASE, 10)).hasSize(1);
            assertThat(store.replayDead(conn, event.eventId())).isEqualTo(1);
            assertThat(store.unannounced(conn, LEASE, 10)).isEmpty();
            assertThat(store.beginAnnouncement(conn, event.eventId(), LEASE)).isFalse();
        }
    }
}
