package outbox.node.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.EventTable;
import outbox.jdbc.SqlDialect;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;

/** What the control center needs to know about a database: its dialect, and how its table is indexed. Thread-safe. */
public final class Flavor {
    private static final String RETRIES_ONLY = EventTable.fill("(status = {retry})");

    private final AbstractJdbcOutboxStore store;
    private final SqlDialect dialect;
    private final boolean partialIndexes;

    private Flavor(AbstractJdbcOutboxStore store) {
        this.store = store;
        this.dialect = store.dialect();
        this.partialIndexes = store.schema().statements().stream()
                .anyMatch(ddl -> ddl.startsWith("CREATE INDEX") && ddl.contains(" WHERE "));
    }

    /** Opens a connection to detect the database. */
    public static Flavor detect(DataSource dataSource) {
        return new Flavor(JdbcOutboxStores.detect(dataSource));
    }

    /** @param database the name of the store, such as {@code postgresql} */
    public static Flavor of(String database) {
        return new Flavor(JdbcOutboxStores.get(database));
    }

    /** The name of the database, as used by stores and schema files. */
    public String database() {
        return dialect.name();
    }

    public AbstractJdbcOutboxStore store(String table) {
        return store.withTable(table);
    }

    /** Whether there is one partial index for pending rows and one for dead rows. */
    public boolean hasPartialIndexes() {
        return partialIndexes;
    }

    /** Whether there is an index on rows with status RETRY alone; older PostgreSQL tables have none. */
    public boolean indexesRetries(Connection conn, String table) throws SQLException {
        if (!partialIndexes) {
            return true;
        }
        int dot = table.indexOf('.');
        try (ResultSet indexes = conn.getMetaData()
                .getIndexInfo(
                        conn.getCatalog(),
                        dot < 0 ? conn.getSchema() : table.substring(0, dot).toLowerCase(Locale.ROOT),
                        table.substring(dot + 1).toLowerCase(Locale.ROOT),
                        false,
                        true)) {
            while (indexes.next()) {
                if (RETRIES_ONLY.equals(indexes.getString("FILTER_CONDITION"))) {
                    return true;
                }
            }
            return false;
        }
    }

    /** Whether there is an index on the whole table that begins with these columns. */
    public boolean hasIndex(Connection conn, String table, List<String> columns) throws SQLException {
        int dot = table.indexOf('.');
        String schema = dot < 0 ? conn.getSchema() : table.substring(0, dot);
        Map<String, List<String>> indexes = new HashMap<>();
        try (ResultSet found = conn.getMetaData()
                .getIndexInfo(
                        conn.getCatalog(), stored(conn, schema), stored(conn, table.substring(dot + 1)), false, true)) {
            while (found.next()) {
                String name = found.getString("INDEX_NAME");
                String column = found.getString("COLUMN_NAME");
                String partial = found.getString("FILTER_CONDITION");
                if (name != null && column != null && (partial == null || partial.isEmpty())) {
                    indexes.computeIfAbsent(name, none -> new ArrayList<>()).add(column.toLowerCase(Locale.ROOT));
                }
            }
        }
        return indexes.values().stream()
                .anyMatch(index -> index.size() >= columns.size()
                        && index.subList(0, columns.size()).equals(columns));
    }

    private static @Nullable String stored(Connection conn, @Nullable String name) throws SQLException {
        return name == null
                ? null
                : conn.getMetaData().storesUpperCaseIdentifiers()
                        ? name.toUpperCase(Locale.ROOT)
                        : conn.getMetaData().storesLowerCaseIdentifiers() ? name.toLowerCase(Locale.ROOT) : name;
    }

    /** The size of a JSON column as text, in bytes. */
    public String byteLength(String column) {
        return "OCTET_LENGTH(" + dialect.text().replace("{column}", column) + ")";
    }

    public void bind(PreparedStatement statement, int index, Instant time) throws SQLException {
        dialect.times().bind(statement, index, time);
    }

    public Instant time(ResultSet row, int column) throws SQLException {
        return dialect.times().read(row, column);
    }

    public @Nullable Instant optionalTime(ResultSet row, int column) throws SQLException {
        return row.getObject(column) == null ? null : time(row, column);
    }

    /** The SQL expression for the database's current time. */
    public String now() {
        return dialect.clock();
    }

    /** The database's current time. */
    public Instant clock(Connection conn) throws SQLException {
        return dialect.readClock(conn);
    }

    /** Reads a column selected by {@link #now}. */
    public Instant clockColumn(ResultSet row, int column) throws SQLException {
        return dialect.clockTimes().read(row, column);
    }
}
