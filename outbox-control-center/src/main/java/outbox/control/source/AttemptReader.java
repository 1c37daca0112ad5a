package outbox.control.source;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.control.db.Flavor;
import outbox.control.db.Sql;
import outbox.control.db.Tables;

/** The failed deliveries of an event, as the engine wrote them down. Thread-safe. */
public final class AttemptReader {
    private static final int LIMIT = 100;

    private final Application application;

    public AttemptReader(Application application) {
        this.application = application;
    }

    /** @param dead whether the event was given up after it */
    public record Attempt(
            int number,
            Instant at,
            @Nullable Long durationMicros,
            @Nullable String node,
            boolean dead,
            String errorClass,
            String error) {}

    /** Oldest first; {@code null} if this application records no attempts. */
    public @Nullable List<Attempt> of(String eventId) throws SQLException {
        Flavor flavor = application.flavor();
        try (Connection conn = application.dataSource().getConnection()) {
            if (!Tables.exists(conn, flavor, "outbox_attempt")) {
                return null;
            }
            return new Sql(
                            flavor,
                            "SELECT attempt, happened_at, duration_micros, node, outcome, error_class, error_text"
                                    + " FROM outbox_attempt WHERE event_id = ? ORDER BY id LIMIT ?",
                            eventId,
                            LIMIT)
                    .query(conn, row -> {
                        long micros = row.getLong(3);
                        return new Attempt(
                                row.getInt(1),
                                flavor.time(row, 2),
                                row.wasNull() ? null : micros,
                                row.getString(4),
                                row.getInt(5) == 3,
                                row.getString(6),
                                row.getString(7));
                    });
        }
    }
}
