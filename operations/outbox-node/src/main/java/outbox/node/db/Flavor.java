package outbox.node.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.Locale;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.TimeColumns;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.H2OutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.store.MariaDbOutboxStore;
import outbox.jdbc.store.MySqlOutboxStore;
import outbox.jdbc.store.PostgresOutboxStore;

/** What differs between the databases. */
public enum Flavor {
    H2("CURRENT_TIMESTAMP(6)", TimeColumns.UTC_DATE_TIME) {
        @Override
        public AbstractJdbcOutboxStore store(String table) {
            return new H2OutboxStore(table);
        }
    },
    POSTGRESQL("clock_timestamp()", TimeColumns.WITH_TIME_ZONE) {
        @Override
        public AbstractJdbcOutboxStore store(String table) {
            return new PostgresOutboxStore(table);
        }
    },
    MYSQL("UTC_TIMESTAMP(6)", TimeColumns.UTC_DATE_TIME) {
        @Override
        public AbstractJdbcOutboxStore store(String table) {
            return new MySqlOutboxStore(table);
        }
    },
    MARIADB("UTC_TIMESTAMP(6)", TimeColumns.UTC_DATE_TIME) {
        @Override
        public AbstractJdbcOutboxStore store(String table) {
            return new MariaDbOutboxStore(table);
        }
    };

    private final String now;
    private final TimeColumns times;

    Flavor(String now, TimeColumns times) {
        this.now = now;
        this.times = times;
    }

    /** Takes a connection to find the database out. */
    public static Flavor detect(DataSource dataSource) {
        return of(JdbcOutboxStores.detect(dataSource).name());
    }

    /** @param database the name of the store, such as {@code postgresql} */
    public static Flavor of(String database) {
        return Arrays.stream(values())
                .filter(flavor -> flavor.database().equals(database.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the control center does not know the database '"
                        + database + "'; known are h2, postgresql, mysql, mariadb"));
    }

    /** The name of the database as stores and schema files have it. */
    public String database() {
        return name().toLowerCase(Locale.ROOT);
    }

    public abstract AbstractJdbcOutboxStore store(String table);

    /** Whether rows that are still to be delivered have a partial index of their own, and so have the dead ones. */
    public boolean hasPartialIndexes() {
        return this == POSTGRESQL;
    }

    /** Whether an index leads to the rows to be tried again and to no others; older tables on PostgreSQL have none. */
    public boolean indexesRetries(Connection conn, String table) throws SQLException {
        return this != POSTGRESQL
                || new Sql(
                                        this,
                                        "SELECT 1 FROM pg_index WHERE indrelid = to_regclass(?)"
                                                + " AND pg_get_expr(indpred, indrelid) = '(status = 2)'",
                                        table)
                                .first(conn, row -> row.getInt(1))
                        != null;
    }

    /** How many bytes a JSON column holds as text. */
    public String byteLength(String column) {
        return this == POSTGRESQL ? "OCTET_LENGTH(" + column + "::text)" : "OCTET_LENGTH(" + column + ")";
    }

    public void bind(PreparedStatement statement, int index, Instant time) throws SQLException {
        times.bind(statement, index, time);
    }

    public Instant time(ResultSet row, int column) throws SQLException {
        return times.read(row, column);
    }

    public @Nullable Instant optionalTime(ResultSet row, int column) throws SQLException {
        return row.getObject(column) == null ? null : times.read(row, column);
    }

    /** The database's clock in a statement. */
    public String now() {
        return now;
    }

    /** The database's clock. */
    public Instant clock(Connection conn) throws SQLException {
        try (PreparedStatement statement = conn.prepareStatement("SELECT " + now);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return clockColumn(row, 1);
        }
    }

    /** A column that is {@link #now}. */
    public Instant clockColumn(ResultSet row, int column) throws SQLException {
        return this == H2 ? row.getObject(column, OffsetDateTime.class).toInstant() : times.read(row, column);
    }
}
