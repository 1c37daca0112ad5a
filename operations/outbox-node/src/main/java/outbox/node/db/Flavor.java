package outbox.node.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Locale;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.EventTable;
import outbox.jdbc.SqlDialect;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;

/** What the control center asks the store of a database: its dialect, and how its table is indexed. Thread-safe. */
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

    /** Takes a connection to find the database out. */
    public static Flavor detect(DataSource dataSource) {
        return new Flavor(JdbcOutboxStores.detect(dataSource));
    }

    /** @param database the name of the store, such as {@code postgresql} */
    public static Flavor of(String database) {
        return new Flavor(JdbcOutboxStores.get(database));
    }

    /** The name of the database as stores and schema files have it. */
    public String database() {
        return dialect.name();
    }

    public AbstractJdbcOutboxStore store(String table) {
        return store.withTable(table);
    }

    /** Whether rows that are still to be delivered have a partial index of their own, and so have the dead ones. */
    public boolean hasPartialIndexes() {
        return partialIndexes;
    }

    /** Whether an index leads to the rows to be retried and to no others; older tables on PostgreSQL have none. */
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

    /** How many bytes a JSON column holds as text. */
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

    /** The database's clock in a statement. */
    public String now() {
        return dialect.clock();
    }

    /** The database's clock. */
    public Instant clock(Connection conn) throws SQLException {
        return dialect.readClock(conn);
    }

    /** A column that is {@link #now}. */
    public Instant clockColumn(ResultSet row, int column) throws SQLException {
        return dialect.clockTimes().read(row, column);
    }
}
