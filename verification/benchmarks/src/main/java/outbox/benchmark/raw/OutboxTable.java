package outbox.benchmark.raw;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.benchmark.BenchDatabase;
import outbox.benchmark.BenchServer;
import outbox.benchmark.Payloads;
import outbox.jdbc.OutboxSchema;
import outbox.util.Ulid;

/** The shipped outbox table, seen by someone who writes his SQL himself. Stateless. */
public final class OutboxTable {
    public static final String NAME = "outbox_event";
    static final List<String> COLUMNS = List.of(
            "event_id",
            "event_type",
            "aggregate_type",
            "aggregate_id",
            "payload",
            "headers",
            "status",
            "attempts",
            "available_at",
            "created_at",
            "locked_by",
            "locked_at");
    static final String EVENT_TYPE = "BenchmarkHappened";
    static final String AGGREGATE_TYPE = "Benchmark";

    private OutboxTable() {}

    /** Makes the table as it is shipped for this database. */
    public static void create(BenchDatabase database) throws SQLException {
        try (Connection connection = database.connect()) {
            OutboxSchema.of(database.kind().id(), NAME).apply(connection);
        }
    }

    public static void clear(BenchDatabase database) throws SQLException {
        database.clear(NAME);
    }

    public static long pending(BenchDatabase database) throws SQLException {
        return database.askNumber("SELECT COUNT(*) FROM " + NAME + " WHERE status IN (0, 2)");
    }

    public static long done(BenchDatabase database) throws SQLException {
        return database.askNumber("SELECT COUNT(*) FROM " + NAME + " WHERE status = 1");
    }

    static String insert(BenchServer.Kind kind) {
        String json = switch (kind) {
            case POSTGRESQL -> "CAST(? AS JSONB)";
            case H2 -> "? FORMAT JSON";
            case MYSQL, MARIADB -> "?";
        };
        return "INSERT INTO " + NAME + " (" + String.join(", ", COLUMNS) + ") VALUES (?, ?, ?, ?, " + json + ", " + json
                + ", ?, ?, ?, ?, ?, ?)";
    }

    /** Inserts one row that somebody holds, as a written event is. */
    public static void insertHeld(BenchServer.Kind kind, Connection connection, long number) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(insert(kind))) {
            bind(insert, 1, number, 0, Payloads.BYTES, "raw-writer-0123456789abcdef", now(kind));
            insert.executeUpdate();
        }
    }

    /** @param owner {@code null} for a row that nobody holds */
    static void bind(
            PreparedStatement insert, int from, long number, int keys, int bytes, @Nullable String owner, Object now)
            throws SQLException {
        int at = from;
        insert.setString(at++, Ulid.next());
        insert.setString(at++, EVENT_TYPE);
        insert.setString(at++, AGGREGATE_TYPE);
        insert.setString(at++, keys == 0 ? null : "key-" + number % keys);
        insert.setString(at++, Payloads.of(number, bytes));
        insert.setNull(at++, Types.VARCHAR);
        insert.setInt(at++, 0);
        insert.setInt(at++, 0);
        insert.setObject(at++, now);
        insert.setObject(at++, now);
        insert.setString(at++, owner);
        if (owner == null) {
            insert.setNull(at, Types.TIMESTAMP);
        } else {
            insert.setObject(at, now);
        }
    }

    /** The current time as the columns of this database hold it: an instant, or UTC without a zone. */
    static Object now(BenchServer.Kind kind) {
        OffsetDateTime now = OffsetDateTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.MICROS);
        return kind == BenchServer.Kind.POSTGRESQL ? now : now.toLocalDateTime();
    }

    /**
     * Fills the table with pending rows that nobody holds.
     *
     * @param keys over how many aggregates they are spread, one after the other; 0 for rows without an aggregate id
     */
    public static void seed(BenchDatabase database, int events, int keys, int bytes) throws SQLException {
        try (Connection connection = database.connect();
                PreparedStatement insert = connection.prepareStatement(insert(database.kind()))) {
            connection.setAutoCommit(false);
            for (int number = 0; number < events; number++) {
                bind(insert, 1, number, keys, bytes, null, now(database.kind()));
                insert.addBatch();
                if (number % 1000 == 999 || number == events - 1) {
                    insert.executeBatch();
                    connection.commit();
                }
            }
        }
        database.analyze(NAME);
    }
}
