package outbox.torture.worker;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import outbox.EventEnvelope;
import outbox.OutboxWriter;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.util.Ulid;

/**
 * The application: changes its own table and tells of it, in one transaction. Its table is the truth the ledger is
 * compared with. Thread-safe.
 */
public final class Business {
    /** {@code fate} of a row: D for an event that must be delivered, X for one that must end as dead. */
    public static final List<String> TABLES =
            List.of("""
            CREATE TABLE torture_business (
              id VARCHAR(80) PRIMARY KEY,
              event_id VARCHAR(36) NOT NULL,
              agg VARCHAR(36) NOT NULL,
              n BIGINT NOT NULL,
              fate CHAR(1) NOT NULL
            )
            """, "CREATE TABLE torture_key (agg VARCHAR(36) PRIMARY KEY, n BIGINT NOT NULL)");

    public static final String AGGREGATE = "Order";
    public static final String PLACED = "Placed";

    private static final String INSERT = "INSERT INTO torture_business (id, event_id, agg, n, fate) VALUES (?,?,?,?,?)";

    private final JdbcTransactionManager transactions;
    private final OutboxWriter writer;
    private final LedgerFile ledger;
    private final InstantSource clock;
    private final NodeSettings settings;

    Business(
            JdbcTransactionManager transactions,
            OutboxWriter writer,
            LedgerFile ledger,
            InstantSource clock,
            NodeSettings settings) {
        this.transactions = transactions;
        this.writer = writer;
        this.ledger = ledger;
        this.clock = clock;
        this.settings = settings;
    }

    /** One transaction with one event. */
    public void placeOrder(Random random) throws SQLException {
        String type = typeOf(random);
        String aggregate = "k" + random.nextInt(settings.number(Setting.KEYS));
        String id;
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            long n = settings.flag(Setting.ORDERED) ? next(tx.connection(), aggregate) : 0;
            EventEnvelope event = event(type, Ulid.next(), aggregate);
            id = event.eventId();
            insert(tx.connection(), id, event, n);
            writer.write(event);
            tx.commit();
        }
        ledger.committed(id);
    }

    /** One transaction with many events. */
    public void placeOrders(int count, Random random) throws SQLException {
        List<EventEnvelope> events = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            events.add(event(PLACED, Ulid.next(), "k" + random.nextInt(settings.number(Setting.KEYS))));
        }
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            insertAll(tx.connection(), events);
            writer.writeAll(events);
            tx.commit();
        }
        for (EventEnvelope event : events) {
            ledger.committed(event.eventId());
        }
    }

    /** One transaction with an event whose id another node uses too. */
    public void placeOrder(String eventId) throws SQLException {
        EventEnvelope event = event(PLACED, eventId, "k0");
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            insert(tx.connection(), eventId + "@" + settings.text(Setting.NODE), event, 0);
            writer.write(event);
            tx.commit();
        }
        ledger.committed(eventId);
    }

    /** Business row only; for callers with transactions of their own. */
    public static void insert(Connection conn, String id, EventEnvelope event, long n) throws SQLException {
        try (PreparedStatement statement = conn.prepareStatement(INSERT)) {
            bind(statement, id, event, n);
            statement.executeUpdate();
        }
    }

    private static void insertAll(Connection conn, List<EventEnvelope> events) throws SQLException {
        String rows = ",(?,?,?,?,?)".repeat(events.size() - 1);
        try (PreparedStatement statement = conn.prepareStatement(INSERT + rows)) {
            int index = 1;
            for (EventEnvelope event : events) {
                statement.setString(index++, event.eventId());
                statement.setString(index++, event.eventId());
                statement.setString(index++, String.valueOf(event.aggregateId()));
                statement.setLong(index++, 0);
                statement.setString(index++, "D");
            }
            statement.executeUpdate();
        }
    }

    private static void bind(PreparedStatement statement, String id, EventEnvelope event, long n) throws SQLException {
        statement.setString(1, id);
        statement.setString(2, event.eventId());
        statement.setString(3, String.valueOf(event.aggregateId()));
        statement.setLong(4, n);
        statement.setString(5, Poison.isDeadly(event.eventType()) ? "X" : "D");
    }

    /** The row of the aggregate stays locked until commit, so this number tells the order of commits. */
    private static long next(Connection conn, String aggregate) throws SQLException {
        try (PreparedStatement update = conn.prepareStatement("UPDATE torture_key SET n = n + 1 WHERE agg = ?");
                PreparedStatement query = conn.prepareStatement("SELECT n FROM torture_key WHERE agg = ?")) {
            update.setString(1, aggregate);
            if (update.executeUpdate() != 1) {
                throw new IllegalStateException("no aggregate " + aggregate);
            }
            query.setString(1, aggregate);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private EventEnvelope event(String type, String id, String aggregate) {
        return EventEnvelope.builder(type)
                .eventId(id)
                .occurredAt(clock.instant())
                .aggregateType(AGGREGATE)
                .aggregateId(aggregate)
                .payloadJson("{\"order\":\"" + id + "\"}")
                .build();
    }

    private String typeOf(Random random) {
        if (settings.flag(Setting.MEMORY_HUNGER) && random.nextInt(60) == 0) {
            return Poison.MEMORY.eventType();
        }
        if (settings.flag(Setting.POISON) && random.nextInt(5) == 0) {
            Poison[] kinds = {Poison.EXCEPTION, Poison.ERROR, Poison.STACK_OVERFLOW, Poison.UNKNOWN_TYPE};
            return kinds[random.nextInt(kinds.length)].eventType();
        }
        return PLACED;
    }
}
