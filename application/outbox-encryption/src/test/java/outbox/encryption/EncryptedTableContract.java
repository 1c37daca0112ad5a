package outbox.encryption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.RetryAfterException;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.JdbcTemplate.Binder;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.testing.Outboxes;
import outbox.testing.RecordingListener;
import outbox.testing.StoredRow;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.TestDatabase;

/** Encryption as the database sees it. */
@Timeout(120)
abstract class EncryptedTableContract {
    private static final String TYPE = "payment.taken";
    private static final String SECRET = "{\"card\": \"not-a-card\", \"note\": \"a/b \\\" ü 李\"}";

    private final ThreadLocalTxContext tx = new ThreadLocalTxContext();
    private final RecordingListener listener = new RecordingListener();
    private final EventEncryption encryption = encryption(TestKeys.only("old", 1));
    private TestDatabase database;
    private DataSource dataSource;
    private ConnectionProvider connections;
    private AbstractJdbcOutboxStore store;

    abstract DatabaseServer server();

    private static EventEncryption encryption(KeyProvider keys) {
        return EventEncryption.builder("shop", keys)
                .eventTypes("payment.*")
                .secretHeaders("authorization")
                .build();
    }

    @BeforeEach
    void createTable() throws SQLException {
        database = server().freshDatabase();
        dataSource = database.dataSource();
        connections = new DataSourceConnectionProvider(dataSource);
        store = JdbcOutboxStores.detect(dataSource);
        try (Connection conn = dataSource.getConnection()) {
            store.schema().apply(conn);
        }
    }

    @AfterEach
    void drop() {
        database.drop();
    }

    private Outbox outbox(EventEncryption with) {
        return JdbcOutbox.multiNode(dataSource)
                .transactions(tx)
                .seal(with)
                .listeners(
                        new DefaultListenerRegistry().register(TYPE, listener).register("order.placed", listener))
                .pollInterval(Duration.ofMillis(50))
                .build()
                .start();
    }

    private List<String> write(EventEncryption with, EventEnvelope... events) throws SQLException {
        Outbox writer =
                JdbcOutbox.writerOnly(dataSource).transactions(tx).seal(with).build();
        return write(writer, events);
    }

    private List<String> write(Outbox outbox, EventEnvelope... events) throws SQLException {
        try (JdbcTransactionManager.Transaction transaction = new JdbcTransactionManager(connections, tx).begin()) {
            List<String> ids = outbox.writer().writeAll(List.of(events));
            transaction.commit();
            return ids;
        }
    }

    private static EventEnvelope payment() {
        return EventEnvelope.builder(TYPE)
                .payloadJson(SECRET)
                .header("Authorization", "not-a-token")
                .header("traceparent", "00-trace")
                .build();
    }

    private List<String> column(String column) throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            return JdbcTemplate.query(
                    conn,
                    "SELECT " + column + " FROM outbox_event ORDER BY event_id",
                    Binder.NOTHING,
                    row -> String.valueOf(row.getString(1)));
        }
    }

    private int update(String sql, String... parameters) throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            return JdbcTemplate.update(conn, sql, statement -> {
                for (int i = 0; i < parameters.length; i++) {
                    statement.setString(i + 1, parameters[i]);
                }
            });
        }
    }

    private void assertDelivered(String id) {
        EventEnvelope event = listener.delivered().stream()
                .filter(delivered -> delivered.eventId().equals(id))
                .findFirst()
                .orElseThrow();
        assertThat(event.payloadJson()).isEqualTo(SECRET);
        assertThat(event.headers())
                .containsEntry("Authorization", "not-a-token")
                .containsEntry("traceparent", "00-trace")
                .hasSize(2);
    }

    @Test
    void theTableHoldsNoSecretAndTheHotPathDeliversThePlainEvent() throws SQLException {
        try (Outbox outbox = outbox(encryption)) {
            String id = write(outbox, payment()).get(0);
            Outboxes.awaitDone(dataSource, id);
            assertDelivered(id);
        }
        assertThat(column("payload"))
                .singleElement()
                .asString()
                .contains("v1.old.")
                .doesNotContain("not-a-card", "\"note"); // nothing that random Base64 may spell
        assertThat(column("headers"))
                .singleElement()
                .asString()
                .contains("00-trace")
                .doesNotContain("not-a-token");
    }

    @Test
    void theColdPathDeliversThePlainEvent() throws SQLException {
        EventEnvelope bytes =
                EventEnvelope.builder(TYPE).payloadBytes(new byte[] {0, 1, -1}).build();
        List<String> ids = write(encryption, payment(), payment(), bytes);
        try (Outbox outbox = outbox(encryption)) {
            Outboxes.awaitDone(dataSource, ids.toArray(String[]::new));
        }
        assertDelivered(ids.get(0));
        assertDelivered(ids.get(1));
        assertThat(listener.delivered().stream()
                        .filter(event -> event.equals(bytes))
                        .findFirst()
                        .orElseThrow()
                        .payloadBytes())
                .containsExactly(0, 1, -1);
    }

    @Test
    void aRetriedEventIsStillPlainForItsListener() throws SQLException {
        listener.failFirst(1, () -> new IllegalStateException("once"));
        try (Outbox outbox = outbox(encryption)) {
            String id = write(outbox, payment()).get(0);
            Outboxes.awaitDone(dataSource, id);
            assertDelivered(id);
        }
        assertThat(listener.received()).hasSize(2);
    }

    @Test
    void swappedPayloadsAreDeadAndOthersGoOn() throws SQLException {
        List<String> ids = write(encryption, payment(), payment(), payment());
        update("CREATE TABLE other AS SELECT event_id, payload FROM outbox_event");
        for (int i = 0; i < 2; i++) {
            update(
                    "UPDATE outbox_event SET payload = (SELECT payload FROM other WHERE event_id = ?)"
                            + " WHERE event_id = ?",
                    ids.get(i),
                    ids.get(1 - i));
        }
        try (Outbox outbox = outbox(encryption)) {
            Outboxes.awaitDead(dataSource, ids.get(0), ids.get(1));
            Outboxes.awaitDone(dataSource, ids.get(2));
        }
        assertThat(listener.received()).hasSize(1);
        try (Connection conn = dataSource.getConnection()) {
            assertThat(StoredRow.read(conn, "outbox_event", ids.get(0)).lastError())
                    .contains("payload of event " + ids.get(0), "another row")
                    .doesNotContain("card");
        }
    }

    @Test
    void anUnknownKeyMakesTheRowDeadUntilTheKeyIsBack() throws SQLException {
        String id = write(encryption, payment()).get(0);
        try (Outbox outbox = outbox(encryption(TestKeys.only("new", 2)))) {
            Outboxes.awaitDead(dataSource, id);
        }
        assertThat(listener.received()).isEmpty();
        try (Outbox outbox = outbox(encryption(TestKeys.rotated()))) {
            assertThat(outbox.deadEvents().replay(id)).isTrue();
            Outboxes.awaitDone(dataSource, id);
            assertDelivered(id);
        }
    }

    @Test
    void aRewrapBringsEveryRowUnderTheNewKeyAndTheOldOneCanGo() throws SQLException {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            ids.addAll(write(encryption, payment()));
        }
        String inClear = write(
                        EventEncryption.builder("shop", TestKeys.only("old", 1))
                                .eventTypes("nothing")
                                .build(),
                        payment())
                .get(0);
        EventEnvelope open = EventEnvelope.builder("order.placed")
                .payloadJson("{\"order\": 1}")
                .build();
        write(encryption, open);
        EventEncryption rotated = encryption(TestKeys.rotated());
        RewrapJob job = new RewrapJob(rotated, store, connections, 3);

        assertThat(job.run()).isEqualTo(new RewrapJob.Report(9, 8, List.of()));
        assertThat(job.run()).isEqualTo(new RewrapJob.Report(9, 0, List.of()));

        assertThat(column("payload"))
                .filteredOn(payload -> payload.contains("v1.new."))
                .hasSize(8);
        assertThat(String.join("\n", column("payload")) + column("headers"))
                .doesNotContain("v1.old.", "not-a-card", "not-a-token");
        assertThat(column("status")).containsOnly("0");
        assertThat(column("attempts")).containsOnly("0");
        try (Outbox outbox = outbox(encryption(TestKeys.only("new", 2)))) {
            Outboxes.awaitDone(dataSource, ids.toArray(String[]::new));
            Outboxes.awaitDone(dataSource, inClear, open.eventId());
        }
        ids.forEach(this::assertDelivered);
    }

    @Test
    void whatIsCommittedBehindARewrapIsFoundByTheNext() throws SQLException {
        RewrapJob job = new RewrapJob(encryption(TestKeys.rotated()), store, connections);
        Outbox writer = JdbcOutbox.writerOnly(dataSource)
                .transactions(tx)
                .seal(encryption)
                .build();
        try (JdbcTransactionManager.Transaction late = new JdbcTransactionManager(connections, tx).begin()) {
            writer.writer().write(payment());
            assertThat(job.run()).isEqualTo(new RewrapJob.Report(0, 0, List.of()));
            late.commit();
        }
        assertThat(job.run()).isEqualTo(new RewrapJob.Report(1, 1, List.of()));
        assertThat(job.run()).isEqualTo(new RewrapJob.Report(1, 0, List.of()));
    }

    @Test
    void aRewrapThatWasBrokenOffGoesOnWhereItWas() throws SQLException {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 7; i++) { // each with a data key of its own
            ids.addAll(write(encryption(TestKeys.only("old", 1)), payment()));
        }
        RewrapJob broken =
                new RewrapJob(encryption(new KeysForSome(TestKeys.rotated(), 4, () -> {})), store, connections, 3);

        assertThatThrownBy(broken::run).isInstanceOf(RetryAfterException.class);
        assertThat(column("payload"))
                .filteredOn(payload -> payload.contains("v1.new."))
                .hasSize(3);
        assertThat(column("payload"))
                .filteredOn(payload -> payload.contains("v1.old."))
                .hasSize(4);

        RewrapJob again = new RewrapJob(encryption(TestKeys.rotated()), store, connections, 3);
        assertThat(again.run()).isEqualTo(new RewrapJob.Report(7, 4, List.of()));
        try (Outbox outbox = outbox(encryption(TestKeys.only("new", 2)))) {
            Outboxes.awaitDone(dataSource, ids.toArray(String[]::new));
        }
        ids.forEach(this::assertDelivered);
    }

    /** A key service that goes away after so many data keys. */
    private static final class KeysForSome implements KeyProvider {
        private final Keyring keys;
        private final Runnable whileAsked;
        private int left;

        KeysForSome(Keyring keys, int unwraps, Runnable whileAsked) {
            this.keys = keys;
            this.left = unwraps;
            this.whileAsked = whileAsked;
        }

        @Override
        public String currentKeyId() {
            return keys.currentKeyId();
        }

        @Override
        public byte[] wrap(String keyId, byte[] dataKey) {
            return keys.wrap(keyId, dataKey);
        }

        @Override
        public byte[] unwrap(String keyId, byte[] wrapped) {
            whileAsked.run();
            if (left-- == 0) {
                throw new IllegalStateException("key service does not answer");
            }
            return keys.unwrap(keyId, wrapped);
        }
    }

    @Test
    void noRowIsLockedWhileAKeyServiceIsAsked() throws SQLException {
        for (int i = 0; i < 3; i++) {
            write(encryption(TestKeys.only("old", 1)), payment());
        }
        KeyProvider watched = new KeysForSome(TestKeys.rotated(), 100, () -> {
            try { // waits if the job holds locks
                assertThat(update("UPDATE outbox_event SET attempts = attempts + 1"))
                        .isEqualTo(3);
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        });
        assertThat(new RewrapJob(encryption(watched), store, connections).run())
                .isEqualTo(new RewrapJob.Report(3, 3, List.of()));
        assertThat(column("attempts")).containsOnly("3");
    }

    @Test
    void aRewrapLeavesWhatItCanNotReadAndNamesIt() throws SQLException {
        String readable = write(encryption, payment()).get(0);
        String foreign = write(encryption(TestKeys.only("lost", 5)), payment()).get(0);
        List<String> before = column("payload");

        RewrapJob.Report report = new RewrapJob(encryption(TestKeys.rotated()), store, connections).run();

        assertThat(report).isEqualTo(new RewrapJob.Report(2, 1, List.of(foreign)));
        assertThat(column("payload")).containsAnyElementsOf(before);
        assertThat(column("payload"))
                .filteredOn(payload -> payload.contains("v1.new."))
                .hasSize(1);
        assertThat(readable).isNotNull();
    }
}
