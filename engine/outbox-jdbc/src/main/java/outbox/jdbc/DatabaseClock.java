package outbox.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Optional;

/** Asks a database what time it is. Stateless, thread-safe. */
public final class DatabaseClock {
    private DatabaseClock() {}

    /** @return empty for a database that this module does not know */
    public static Optional<Instant> now(Connection conn) throws SQLException {
        String product = conn.getMetaData().getDatabaseProductName().toLowerCase(Locale.ROOT);
        return switch (product) {
            case "postgresql" -> Optional.of(pointInTime(conn, "SELECT clock_timestamp()"));
            case "h2" -> Optional.of(pointInTime(conn, "SELECT CURRENT_TIMESTAMP(6)"));
            case "mysql", "mariadb", "tidb" -> Optional.of(utc(conn));
            default -> Optional.empty();
        };
    }

    private static Instant utc(Connection conn) throws SQLException {
        return JdbcTemplate.query(
                        conn,
                        "SELECT UTC_TIMESTAMP(6)",
                        JdbcTemplate.Binder.NOTHING,
                        row -> row.getObject(1, LocalDateTime.class).toInstant(ZoneOffset.UTC))
                .get(0);
    }

    private static Instant pointInTime(Connection conn, String sql) throws SQLException {
        return JdbcTemplate.query(
                        conn,
                        sql,
                        JdbcTemplate.Binder.NOTHING,
                        row -> row.getObject(1, OffsetDateTime.class).toInstant())
                .get(0);
    }
}
