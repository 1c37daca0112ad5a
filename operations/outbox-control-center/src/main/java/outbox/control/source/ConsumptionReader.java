package outbox.control.source;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;

/**
 * Reads the progress of each handler of an event, if the application stores it: see outbox-idempotency. Thread-safe.
 */
public final class ConsumptionReader {
    private static final int LIMIT = 100;

    private final Application application;

    public ConsumptionReader(Application application) {
        this.application = application;
    }

    /** @param nextAttemptAt only meaningful while a retry is pending */
    public record HandlerState(
            String handler,
            EventState state,
            int attempts,
            Instant nextAttemptAt,
            @Nullable String error,
            Instant updatedAt) {}

    /** By name; {@code null} if this application does not store it. */
    public @Nullable List<HandlerState> of(String eventId) throws SQLException {
        Flavor flavor = application.flavor();
        try (Connection conn = application.dataSource().getConnection()) {
            if (!JdbcOutboxStores.hasTable(conn, application.consumptionTable())) {
                return null;
            }
            return new Sql(
                            flavor,
                            "SELECT handler, state, attempts, next_attempt_at, last_error, updated_at"
                                    + " FROM " + application.consumptionTable()
                                    + " WHERE event_id = ? ORDER BY handler LIMIT ?",
                            eventId,
                            LIMIT)
                    .query(
                            conn,
                            row -> new HandlerState(
                                    row.getString(1),
                                    EventState.of(row.getInt(2)),
                                    row.getInt(3),
                                    flavor.time(row, 4),
                                    row.getString(5),
                                    flavor.time(row, 6)));
        }
    }
}
