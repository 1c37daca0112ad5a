package outbox.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.testing.StoredRow;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.TestDatabase;

/** A database of its own with the table of one store, by the schema this module ships. */
public final class TestTable implements AutoCloseable {
    private final AbstractJdbcOutboxStore store;
    private final TestDatabase database;
    private final @Nullable Instant firstDay;
    private boolean altered;

    public TestTable(DatabaseServer server, AbstractJdbcOutboxStore store) throws SQLException {
        this(server, store, null);
    }

    /** With a partition for today and the days to come. */
    public static TestTable partitioned(DatabaseServer server, AbstractJdbcOutboxStore store) throws SQLException {
        return partitioned(server, store, Instant.now());
    }

    /** With a partition for that day and those that follow, also when it is made anew after midnight. */
    public static TestTable partitioned(DatabaseServer server, AbstractJdbcOutboxStore store, Instant firstDay)
            throws SQLException {
        return new TestTable(server, store, firstDay);
    }

    private TestTable(DatabaseServer server, AbstractJdbcOutboxStore store, @Nullable Instant firstDay)
            throws SQLException {
        this.store = store;
        this.firstDay = firstDay;
        this.database = server.freshDatabase();
        if (!schema().isEmpty()) {
            execute("CREATE SCHEMA " + schema());
        }
        create();
    }

    private String schema() {
        int dot = store.tableName().indexOf('.');
        return dot < 0 ? "" : store.tableName().substring(0, dot);
    }

    private void create() throws SQLException {
        try (Connection conn = dataSource().getConnection()) {
            (firstDay == null ? store.schema() : store.partitionedSchema()).apply(conn);
        }
        if (firstDay != null) {
            store.dailyPartitions().rotate(dataSource()::getConnection, firstDay, Duration.ofDays(7));
        }
    }

    /** Drops the table and makes it anew: also its statistics and its dead rows are gone. */
    public void recreate() throws SQLException {
        execute("DROP TABLE " + store.tableName());
        create();
        altered = false;
    }

    /** Empties the table. Partitions take seconds to create, so they stay, unless a test has changed the table. */
    public void reset() throws SQLException {
        if (firstDay == null || altered) {
            recreate();
        } else {
            execute("DELETE FROM " + store.tableName());
        }
    }

    public void execute(String sql) throws SQLException {
        altered |= !sql.startsWith("DELETE");
        try (Connection conn = dataSource().getConnection();
                Statement statement = conn.createStatement()) {
            statement.execute(sql);
        }
    }

    public boolean isPartitioned() {
        return firstDay != null;
    }

    public DataSource dataSource() {
        return database.dataSource();
    }

    public TestDatabase database() {
        return database;
    }

    public StoredRow read(Connection conn, String eventId) throws SQLException {
        return StoredRow.read(conn, store.tableName(), eventId);
    }

    public void writeHeaders(Connection conn, String eventId, String json) throws SQLException {
        String parameter = switch (store.name()) {
            case "postgresql" -> "?::jsonb";
            case "h2" -> "? FORMAT JSON";
            default -> "?";
        };
        try (PreparedStatement statement = conn.prepareStatement(
                "UPDATE " + store.tableName() + " SET headers = " + parameter + " WHERE event_id = ?")) {
            statement.setString(1, json);
            statement.setString(2, eventId);
            statement.executeUpdate();
        }
    }

    @Override
    public void close() throws SQLException {
        if (!schema().isEmpty()) {
            // On MySQL and MariaDB a schema is a database beside this one.
            execute("DROP TABLE " + store.tableName());
            execute("DROP SCHEMA " + schema());
        }
        database.drop();
    }
}
