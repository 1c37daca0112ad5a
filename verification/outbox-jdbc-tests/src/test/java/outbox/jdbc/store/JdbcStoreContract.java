package outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import outbox.EventEnvelope;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.OutboxSchemaException;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TestTable;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.ClaimRequest;
import outbox.spi.ConnectionProvider;
import outbox.spi.DuplicateEventException;
import outbox.spi.Settlement;
import outbox.spi.StoredPayload;
import outbox.testing.LeasingOutboxStoreContract;
import outbox.testing.StoredRow;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.TestDatabase;
import outbox.util.JsonCodec;

/**
 * The store contract on a database of its own, with the schema this module ships, made anew for each test; and what the
 * stores of this module promise beyond it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JdbcStoreContract extends LeasingOutboxStoreContract {
    private static final Duration LEASE = Duration.ofMinutes(5);

    private final Supplier<DatabaseServer> server;
    private final AbstractJdbcOutboxStore store;
    private TestTable table;
    private HikariDataSource pool;

    JdbcStoreContract(Supplier<DatabaseServer> server, AbstractJdbcOutboxStore store) {
        this.server = server;
        this.store = store;
    }

    @Override
    protected AbstractJdbcOutboxStore openStore() throws SQLException {
        if (table == null) {
            table = openTable(server.get(), store);
            pool = openPool(table.database());
        } else {
            table.reset();
        }
        return store;
    }

    /** Most tests take a connection for each step; a new one each time would be half of their work. */
    private static HikariDataSource openPool(TestDatabase database) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setUsername(database.username());
        config.setPassword(database.password());
        config.setMaximumPoolSize(20);
        config.setMinimumIdle(1);
        return new HikariDataSource(config);
    }

    /** The table that all tests of this class run on. */
    TestTable openTable(DatabaseServer server, AbstractJdbcOutboxStore store) throws SQLException {
        return new TestTable(server, store);
    }

    @AfterAll
    void dropDatabase() throws SQLException {
        pool.close();
        table.close();
    }

    final TestTable table() {
        return table;
    }

    @Override
    protected ConnectionProvider connections() {
        return pool::getConnection;
    }

    @Override
    protected StoredRow read(Connection conn, String eventId) throws SQLException {
        return table.read(conn, eventId);
    }

    @Override
    protected void writeHeaders(Connection conn, String eventId, String json) throws SQLException {
        table.writeHeaders(conn, eventId, json);
    }

    @Test
    void itIsFoundByTheUrlOfItsDatabase() {
        assertThat(JdbcOutboxStores.detect(table.dataSource())).hasSameClassAs(store);
    }

    @Test
    void aMissingTableIsNamed() throws SQLException {
        try (Connection conn = connections().getConnection()) {
            assertThat(JdbcOutboxStores.hasTable(conn, "not_there")).isFalse();
            assertThat(JdbcOutboxStores.hasTable(conn, "no_schema.not_there")).isFalse();
            assertThat(JdbcOutboxStores.hasTable(conn, store.tableName())).isTrue();
            assertThatThrownBy(() -> onTable("not_there").verifySchema(conn))
                    .isInstanceOfSatisfying(
                            OutboxSchemaException.class,
                            missing -> assertThat(missing.missingColumns()).isEmpty())
                    .hasMessageContaining("not_there")
                    .hasMessageContaining("outbox/schema/" + store.name() + ".sql");
            assertThatThrownBy(() -> onTable("no_schema.not_there").verifySchema(conn))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("no_schema.not_there");
        }
    }

    @Test
    void missingColumnsAreNamed() throws SQLException {
        table.execute("ALTER TABLE " + store.tableName() + " DROP COLUMN tenant_id");
        table.execute("ALTER TABLE " + store.tableName() + " DROP COLUMN last_error");
        try (Connection conn = connections().getConnection()) {
            assertThatThrownBy(() -> store.verifySchema(conn))
                    .isInstanceOfSatisfying(
                            OutboxSchemaException.class,
                            old -> assertThat(old.missingColumns())
                                    .containsExactlyInAnyOrder("last_error", "tenant_id"))
                    .hasMessageContaining(store.tableName())
                    .hasMessageContaining("last_error, tenant_id")
                    .hasMessageContaining("outbox/schema/" + store.name() + ".sql");
        }
    }

    @Test
    void rowsCanBeLookedAt() throws SQLException {
        EventEnvelope first = EventEnvelope.builder("order.placed")
                .aggregateId("42")
                .tenantId("acme")
                .header("operator", "ada")
                .payloadJson("{}")
                .build();
        EventEnvelope second = EventEnvelope.ofJson("order.shipped", "{}");
        try (Connection conn = connections().getConnection()) {
            store.insertBatch(conn, List.of(first, second));
            store.markDead(conn, second.eventId(), "gone");
            EventLookup lookup = store.lookup();

            assertThat(lookup.count(conn, EventStatus.NEW, 10)).isEqualTo(1);
            assertThat(lookup.count(conn, EventStatus.DEAD, 10)).isEqualTo(1);
            assertThat(lookup.count(conn, EventStatus.DEAD, 0)).isZero();
            assertThat(lookup.find(conn, EventStatus.DEAD, null, 10))
                    .singleElement()
                    .returns(second.eventId(), EventLookup.Row::eventId)
                    .returns("gone", EventLookup.Row::lastError);
            assertThat(lookup.find(conn, null, "order.placed", 10)).hasSize(1);
            assertThat(lookup.find(conn, null, null, 10)).hasSize(2);
            assertThat(lookup.find(conn, null, null, 1)).hasSize(1);
            assertThat(lookup.one(conn, first.eventId()))
                    .returns("42", EventLookup.Row::aggregateId)
                    .returns("acme", EventLookup.Row::tenantId)
                    .returns(EventStatus.NEW, EventLookup.Row::status)
                    .returns(null, EventLookup.Row::doneAt);
            assertThat(lookup.one(conn, "nobody")).isNull();
        }
    }

    private AbstractJdbcOutboxStore onTable(String name) {
        try {
            return store.getClass().getConstructor(String.class).newInstance(name);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void errorsOnAMissingTableSayWhatFailed() throws SQLException {
        AbstractJdbcOutboxStore lost = onTable("not_there");
        try (Connection conn = connections().getConnection()) {
            assertThatThrownBy(() -> lost.markDone(conn, "id-1"))
                    .isInstanceOf(OutboxStoreException.class)
                    .hasMessageContaining("markDone on not_there failed for event id-1");
            assertThatThrownBy(() -> lost.claim(conn, new ClaimRequest("a", LEASE, Duration.ZERO, 1)))
                    .isInstanceOf(OutboxStoreException.class)
                    .hasMessageContaining("claim on not_there");
            assertThatThrownBy(() -> lost.purger().purge(conn, Instant.now(), 1))
                    .isInstanceOf(OutboxStoreException.class)
                    .hasMessageContaining("not_there");
            assertThat(conn.getAutoCommit()).isTrue();
        }
    }

    /** PostgreSQL ends a transaction with its first error. */
    boolean transactionsSurviveErrors() {
        return true;
    }

    @Test
    void aTransactionGoesOnAfterARefusedDuplicateWhereTheDatabaseAllowsIt() throws SQLException {
        EventEnvelope first = EventEnvelope.ofJson("First", "{}");
        List<EventEnvelope> batch = Stream.concat(
                        IntStream.range(0, 1200).mapToObj(i -> EventEnvelope.ofJson("Batch", "{}")), Stream.of(first))
                .toList();
        try (Connection conn = connections().getConnection()) {
            conn.setAutoCommit(false);
            store.insertNew(conn, first);
            assertThatThrownBy(() -> store.insertBatch(conn, batch)).isInstanceOf(DuplicateEventException.class);
            if (transactionsSurviveErrors()) {
                conn.commit();
                assertThat(pending(conn)).containsExactly(first.eventId());
            } else {
                conn.rollback();
                assertThat(pending(conn)).isEmpty();
            }
        }
    }

    @Test
    void aPayloadThatTheDatabaseWritesLongerIsReadAllTheSame() throws SQLException {
        String numbers = "[" + "1.234E-10,".repeat(100_000) + "1]";
        EventEnvelope event = EventEnvelope.ofJson("Measured", numbers);
        try (Connection conn = connections().getConnection()) {
            store.insertNew(conn, event);
            OutboxEvent row =
                    store.pollPending(conn, Instant.now(), Duration.ZERO, 1).get(0);
            assertThat(StoredPayload.eventOf(row, JsonCodec.getDefault()).payloadJson())
                    .startsWith("[");
        }
    }

    @Test
    void timesFarAwayAreKept() throws SQLException {
        Instant past = Instant.parse("0001-01-01T00:00:00.000001Z");
        Instant future = Instant.parse("9999-12-31T23:59:59.999999Z");
        EventEnvelope old =
                EventEnvelope.builder("Old").occurredAt(past).payloadJson("{}").build();
        EventEnvelope late = EventEnvelope.builder("Late")
                .occurredAt(future)
                .availableAt(future)
                .payloadJson("{}")
                .build();
        try (Connection conn = connections().getConnection()) {
            store.insertBatch(conn, List.of(old, late));
            assertThat(store.pollPending(conn, future.minus(1, ChronoUnit.MICROS), Duration.ZERO, 10))
                    .hasSize(1);
            assertThat(store.pollPending(conn, future, Duration.ZERO, 10))
                    .extracting(OutboxEvent::eventId, OutboxEvent::createdAt)
                    .containsExactly(tuple(old.eventId(), past), tuple(late.eventId(), future));
            List<OutboxEvent> claimed = store.claim(conn, new ClaimRequest("a", LEASE, Duration.ZERO, 10));
            assertThat(claimed).extracting(OutboxEvent::createdAt).containsExactly(past);
        }
    }

    @Test
    void timesDoNotDependOnTheZoneOfTheJvm() throws SQLException {
        TimeZone before = TimeZone.getDefault();
        Instant occurred = Instant.parse("2026-03-29T01:30:00.123456Z"); // does not exist on Berlin's clocks
        EventEnvelope written = EventEnvelope.builder("Written")
                .occurredAt(occurred)
                .payloadJson("{}")
                .build();
        EventEnvelope delayed = EventEnvelope.builder("Delayed")
                .availableAt(Instant.now().plus(Duration.ofMinutes(30)))
                .payloadJson("{}")
                .build();
        try {
            TimeZone.setDefault(TimeZone.getTimeZone("Europe/Berlin"));
            try (Connection conn = connections().getConnection()) {
                store.insertBatch(conn, List.of(written, delayed));
                store.insertLeased(conn, List.of(EventEnvelope.ofJson("Leased", "{}")), "a");
            }
            TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Auckland"));
            try (Connection conn = connections().getConnection()) {
                Duration age = store.oldestPendingAge(conn);
                assertThat(age).isBetween(Duration.ZERO, Duration.ofMinutes(10));
                List<OutboxEvent> claimed = store.claim(conn, new ClaimRequest("b", LEASE, Duration.ZERO, 10));
                assertThat(claimed).extracting(OutboxEvent::eventId).containsExactly(written.eventId());
                assertThat(claimed.get(0).createdAt()).isEqualTo(occurred);
            }
            TimeZone.setDefault(TimeZone.getTimeZone("America/Los_Angeles"));
            try (Connection conn = connections().getConnection()) {
                assertThat(store.claim(conn, new ClaimRequest("c", LEASE, Duration.ZERO, 10)))
                        .as("leases of a node in another zone")
                        .isEmpty();
                List<OutboxEvent> polled =
                        store.pollPending(conn, Instant.now().plus(Duration.ofMinutes(10)), Duration.ZERO, 10);
                assertThat(polled).hasSize(2).noneMatch(row -> row.eventId().equals(delayed.eventId()));
            }
        } finally {
            TimeZone.setDefault(before);
        }
    }

    @Test
    void anotherCodecWritesTheHeaders() throws SQLException {
        JsonCodec shouting = new JsonCodec() {
            @Override
            public String toJson(Map<String, String> headers) {
                return "{\"SHOUTED\":\"yes\"}";
            }

            @Override
            public Map<String, String> parseObject(String json) {
                return JsonCodec.getDefault().parseObject(json);
            }
        };
        AbstractJdbcOutboxStore other = store.withJsonCodec(shouting);
        assertThat(other.tableName()).isEqualTo(store.tableName());
        assertThat(other.jsonCodec()).isSameAs(shouting);
        try (Connection conn = connections().getConnection()) {
            other.insertNew(conn, EventEnvelope.ofJson("One", "{}"));
            other.insertBatch(conn, List.of(EventEnvelope.ofJson("Two", "{}"), EventEnvelope.ofJson("Three", "{}")));
            assertThat(store.pollPending(conn, Instant.now().plusSeconds(600), Duration.ZERO, 10))
                    .hasSize(3)
                    .allMatch(row -> row.headersJson().contains("SHOUTED"));
        }
    }

    @Test
    void aClaimDoesNotWaitForRowsThatAreLockedElsewhere() throws SQLException {
        EventEnvelope locked = EventEnvelope.ofJson("Locked", "{}");
        EventEnvelope free = EventEnvelope.ofJson("Free", "{}");
        try (Connection holder = connections().getConnection();
                Connection conn = connections().getConnection()) {
            store.insertBatch(conn, List.of(locked, free));
            holder.setAutoCommit(false);
            lockRow(holder, locked.eventId());
            assertThat(store.claim(conn, new ClaimRequest("a", LEASE, Duration.ZERO, 10)))
                    .extracting(OutboxEvent::eventId)
                    .containsExactly(free.eventId());
            holder.rollback();
            assertThat(store.claim(conn, new ClaimRequest("a", LEASE, Duration.ZERO, 10)))
                    .hasSize(1);
        }
    }

    @Test
    void aRenewalDoesNotWaitForASettlementOfTheSameRows() throws SQLException {
        EventEnvelope settling = EventEnvelope.ofJson("Settling", "{}");
        EventEnvelope running = EventEnvelope.ofJson("Running", "{}");
        try (Connection settler = connections().getConnection();
                Connection conn = connections().getConnection()) {
            store.insertLeased(conn, List.of(settling, running), "a");
            settler.setAutoCommit(false);
            store.settle(settler, "a", List.of(new Settlement.Done(settling.eventId())));
            assertThat(store.renew(conn, "a", List.of(settling.eventId(), running.eventId(), "nobody")))
                    .containsExactly("nobody");
            settler.commit();
            assertThat(store.renew(conn, "a", List.of(settling.eventId(), running.eventId())))
                    .containsExactly(settling.eventId());
        }
    }

    /** Whatever its name: this one is the name the store's own savepoints once had. */
    @Test
    void aSavepointOfTheCallerIsLeftAlone() throws SQLException {
        EventEnvelope lost = EventEnvelope.ofJson("Lost", "{}");
        EventEnvelope undone = EventEnvelope.ofJson("Undone", "{}");
        try (Connection conn = connections().getConnection()) {
            store.insertLeased(conn, List.of(lost), "somebody else");
            conn.setAutoCommit(false);
            Savepoint own = conn.setSavepoint("outbox");
            store.insertNew(conn, undone);
            store.insertBatch(
                    conn,
                    IntStream.range(0, 250)
                            .mapToObj(i -> EventEnvelope.ofJson("Many", "{}"))
                            .toList());
            assertThat(store.settle(conn, "a", List.of(new Settlement.Done(lost.eventId()))))
                    .containsExactly(lost.eventId());
            conn.rollback(own);
            conn.commit();
            conn.setAutoCommit(true);
            assertThat(pending(conn)).containsExactly(lost.eventId());
        }
    }

    /** Events with headers of 5 MB that one statement cannot hold, where a statement has a limit; on MariaDB it is 16 MiB. */
    int moreLargeEventsThanAStatementHolds() {
        return 4;
    }

    @Test
    void aBatchOfLargeHeadersIsInserted() throws SQLException {
        int count = moreLargeEventsThanAStatementHolds();
        List<EventEnvelope> events = IntStream.range(0, count)
                .mapToObj(i -> EventEnvelope.builder("Large")
                        .header("h", "x".repeat(5_000_000))
                        .payloadJson("{}")
                        .build())
                .toList();
        try (Connection conn = connections().getConnection()) {
            store.insertBatch(conn, events);
            assertThat(store.countPending(conn, 100)).hasValue(count);
        }
    }

    @Test
    void theLargestEventIsInsertedHoweverItIsEscaped() throws SQLException {
        EventEnvelope event = EventEnvelope.builder("Large")
                .header("h", "\"".repeat(StoredPayload.MAX_HEADERS_BYTES / 2 - 10))
                .payloadJson("\"" + "\\\"".repeat(EventEnvelope.MAX_PAYLOAD_BYTES / 2 - 1) + "\"")
                .build();
        try (Connection conn = connections().getConnection()) {
            store.insertNew(conn, event);
            OutboxEvent row = store.claim(conn, new ClaimRequest("a", LEASE, Duration.ZERO, 1))
                    .get(0);
            assertThat(StoredPayload.eventOf(row, store.jsonCodec()).payloadJson())
                    .isEqualTo(event.payloadJson());
            assertThat(StoredPayload.eventOf(row, store.jsonCodec()).headers()).isEqualTo(event.headers());
        }
    }

    @Test
    void missingIndexesAreNamed() throws SQLException {
        try (Connection conn = connections().getConnection()) {
            OutboxSchema schema = table().isPartitioned() ? store.partitionedSchema() : store.schema();
            assertThat(schema.missingIndexes(conn)).isEmpty();
            String create = schema.statements().stream()
                    .filter(sql -> sql.startsWith("CREATE INDEX"))
                    .findFirst()
                    .orElseThrow();
            String index = create.split(" ", -1)[2];
            table().execute(
                            store.name().matches("mysql|mariadb")
                                    ? "DROP INDEX " + index + " ON " + store.tableName()
                                    : "DROP INDEX " + index);
            assertThat(schema.missingIndexes(conn)).containsExactly(create);
            try (RecordedWarnings warnings = new RecordedWarnings("outbox.jdbc.store.SchemaCheck")) {
                store.verifySchema(conn);
                assertThat(warnings.messages()).singleElement(STRING).contains(create, store.tableName());
            }
            table().execute(create.replace(index, "of_another_name"));
            assertThat(schema.missingIndexes(conn)).isEmpty();
        }
    }

    @Test
    void aTableThatCanBeWrittenToIsSound() throws SQLException {
        try (Connection conn = connections().getConnection()) {
            store.verifyWritable(conn, true);
            store.verifyWritable(conn, false);
            assertThat(conn.getAutoCommit()).isTrue();
            assertThat(pending(conn)).isEmpty();
        }
    }

    /** How a pool makes its connections read-only on this database, or a server is. */
    Connection readOnly() throws SQLException {
        Connection conn = connections().getConnection();
        conn.setReadOnly(true);
        return conn;
    }

    @Test
    void aReadOnlyConnectionIsRefusedWithWhatToDo() throws SQLException {
        for (boolean delivers : new boolean[] {true, false}) {
            try (Connection conn = readOnly()) {
                assertThatThrownBy(() -> store.verifyWritable(conn, delivers))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining(store.tableName())
                        .hasMessageContaining("not read-only")
                        .hasMessageContaining("primary");
            }
        }
    }

    private void lockRow(Connection conn, String eventId) throws SQLException {
        try (PreparedStatement statement =
                conn.prepareStatement("SELECT event_id FROM " + store.tableName() + " WHERE event_id = ? FOR UPDATE")) {
            statement.setString(1, eventId);
            try (ResultSet row = statement.executeQuery()) {
                assertThat(row.next()).isTrue();
            }
        }
    }

    private List<String> pending(Connection conn) {
        return store.pollPending(conn, Instant.now().plusSeconds(600), Duration.ZERO, 2000).stream()
                .map(OutboxEvent::eventId)
                .toList();
    }
}
