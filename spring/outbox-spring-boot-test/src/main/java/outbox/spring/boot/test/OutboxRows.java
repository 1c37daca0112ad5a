package outbox.spring.boot.test;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import outbox.jdbc.EventTable;
import outbox.jdbc.TableNames;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.testing.EventSource;
import outbox.testing.PublishedEvent;

/** The rows written since the test began; read in the test's own transaction, if there is one. */
final class OutboxRows implements EventSource {
    private final DataSource dataSource;
    private final String table;
    private final String consumption;
    private final EventSource all;
    private Set<String> before = Set.of(); // guarded by this

    OutboxRows(DataSource dataSource, String table, String consumptionTable) {
        this.dataSource = new TransactionAwareDataSourceProxy(dataSource);
        this.table = TableNames.validate(table);
        this.consumption = TableNames.validate(consumptionTable);
        this.all = EventSource.table(this.dataSource, table);
    }

    synchronized void begin() {
        before = all.read().stream().map(PublishedEvent::eventId).collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public synchronized List<PublishedEvent> read() {
        return all.read().stream()
                .filter(event -> !before.contains(event.eventId()))
                .toList();
    }

    /** Restores the state of a crash after these handlers returned and before their outcome was stored. */
    void forgetDelivery(String eventId, Set<String> handlers) {
        try (Connection connection = dataSource.getConnection()) {
            String settled =
                    EventTable.fill("UPDATE " + table + " SET status = {new}, done_at = NULL, locked_by = NULL,"
                            + " locked_at = NULL WHERE event_id = ? AND status = {done}");
            if (update(connection, settled, eventId) == 0) {
                throw new IllegalStateException("event " + eventId + " is no longer DONE");
            }
            if (!handlers.isEmpty() && JdbcOutboxStores.hasTable(connection, consumption)) {
                for (String handler : handlers) {
                    update(
                            connection,
                            "DELETE FROM " + consumption + " WHERE event_id = ? AND handler = ?",
                            eventId,
                            handler);
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException("cannot reset event " + eventId + ": " + e.getMessage(), e);
        }
    }

    private static int update(Connection connection, String sql, String... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            return statement.executeUpdate();
        }
    }
}
