package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;

/** How a store inserts events. Implementations are thread-safe. */
@FunctionalInterface
public interface InsertStrategy {
    /**
     * Inserts all of these events in their order, or none.
     *
     * @param events at least one
     * @param owner lease owner of events that are due at once; {@code null} for no lease
     */
    void insert(Connection conn, List<EventEnvelope> events, @Nullable String owner) throws SQLException;
}
