package outbox.samples.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.OutboxWriter;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.model.EventStatus;

/** The business code: orders in a table, and an event for each of them in the same transaction. */
final class Shop {
    private final DataSource dataSource;
    private final JdbcTransactionManager transactions;

    Shop(DataSource dataSource, JdbcTransactionManager transactions) {
        this.dataSource = dataSource;
        this.transactions = transactions;
    }

    void createTables() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE orders (id INT PRIMARY KEY, item VARCHAR(64) NOT NULL)");
            OutboxSchema.of("h2", "outbox_event").apply(connection);
        }
    }

    /** @return when the commit began, by {@link System#nanoTime()} */
    long place(OutboxWriter writer, String eventType, int orderId, String item) throws SQLException {
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            insertOrder(tx.connection(), orderId, item);
            writer.write(event(eventType, orderId, item));
            long commitAt = System.nanoTime();
            tx.commit();
            return commitAt;
        }
    }

    /** The same, but something goes wrong before the commit. */
    void placeAndFail(OutboxWriter writer, String eventType, int orderId, String item) throws SQLException {
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            insertOrder(tx.connection(), orderId, item);
            writer.write(event(eventType, orderId, item));
            throw new IllegalStateException("card declined");
        }
    }

    private static void insertOrder(Connection connection, int orderId, String item) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?, ?)")) {
            insert.setInt(1, orderId);
            insert.setString(2, item);
            insert.executeUpdate();
        }
    }

    private static EventEnvelope event(String eventType, int orderId, String item) {
        return EventEnvelope.builder(eventType)
                .aggregateType("Order")
                .aggregateId(String.valueOf(orderId))
                .payloadJson("{\"order\":" + orderId + ",\"item\":\"" + item + "\"}")
                .build();
    }

    int countOrders(int orderId) throws SQLException {
        return count("SELECT COUNT(*) FROM orders WHERE id = " + orderId);
    }

    int countEvents(int orderId) throws SQLException {
        return count("SELECT COUNT(*) FROM outbox_event WHERE aggregate_id = '" + orderId + "'");
    }

    private int count(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getInt(1);
        }
    }

    EventStatus statusOf(int orderId) throws SQLException {
        return EventStatus.fromCode(count("SELECT status FROM outbox_event WHERE aggregate_id = '" + orderId + "'"));
    }

    /** The outbox table for people, with a heading. */
    List<List<String>> events() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT aggregate_id, event_type, status, attempts, last_error FROM outbox_event"
                                + " ORDER BY created_at, event_id")) {
            List<List<String>> events = new ArrayList<>();
            events.add(List.of("order", "event", "status", "failures", "last error"));
            while (rows.next()) {
                events.add(List.of(
                        rows.getString("aggregate_id"),
                        rows.getString("event_type"),
                        EventStatus.fromCode(rows.getInt("status")).name(),
                        rows.getString("attempts"),
                        firstLine(rows.getString("last_error"))));
            }
            return events;
        }
    }

    private static String firstLine(@Nullable String error) {
        return error == null ? "" : error.lines().findFirst().orElse("");
    }
}
