package outbox.control.source;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;

/** Reads the recorded failed deliveries of an event. Thread-safe. */
public final class AttemptReader {
    private static final int LIMIT = 100;

    private final Application application;

    /** The action of an attempt that is followed by a retry. */
    public static final String SEND_FAILED = "outbox-send-failed";
    /** The action of the last attempt. */
    public static final String FAILED_PERMANENT = "outbox-failed-permanent";

    public AttemptReader(Application application) {
        this.application = application;
    }

    /**
     * @param action {@value #SEND_FAILED}, or {@value #FAILED_PERMANENT} if the event became a dead letter
     * @param dead whether the event became a dead letter
     */
    public record Attempt(
            String action,
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
            if (!AttemptTable.exists(conn, flavor)) {
                return null;
            }
            List<Attempt> found = new Sql(
                            flavor,
                            "SELECT attempt, happened_at, duration_micros, node, outcome, error_class, error_text"
                                    + " FROM outbox_attempt WHERE event_id = ? ORDER BY id LIMIT ?",
                            eventId,
                            LIMIT)
                    .query(conn, row -> {
                        Long micros = row.getObject(3) == null ? null : row.getLong(3);
                        return new Attempt(
                                row.getInt(5) == 3 ? FAILED_PERMANENT : SEND_FAILED,
                                row.getInt(1),
                                flavor.time(row, 2),
                                micros,
                                row.getString(4),
                                row.getInt(5) == 3,
                                row.getString(6),
                                row.getString(7));
                    });
            return found.isEmpty() && !AttemptTable.isWritten(conn, flavor) ? null : found;
        }
    }
}
