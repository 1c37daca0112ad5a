package outbox.samples.consumer;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import outbox.idempotency.jdbc.JdbcTransactionRunner;
import outbox.inbox.DurableInbox;
import outbox.inbox.InlineInbox;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;

/**
 * The consuming service: it books every order into a ledger in its own database. The inbox records the message in the
 * same transaction, so that a message that comes again is not booked again.
 */
final class Bookkeeping {
    private final DataSource database;
    private final ThreadLocalTxContext transaction = new ThreadLocalTxContext();
    private final InlineInbox inbox;

    Bookkeeping(DataSource database) throws SQLException {
        this.database = database;
        DataSourceConnectionProvider connections = new DataSourceConnectionProvider(database);
        this.inbox = InlineInbox.builder(database)
                .group("bookkeeping")
                .transactions(
                        transaction,
                        new JdbcTransactionRunner(new JdbcTransactionManager(connections, transaction), transaction))
                .build();
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            OutboxSchema.of("h2", DurableInbox.DEFAULT_TABLE).apply(connection);
            statement.execute("CREATE TABLE ledger (booking VARCHAR(200) NOT NULL)");
        }
    }

    /** @return whether it was booked now; {@code false} if that had happened before */
    boolean book(String messageId, String consumer, String text) throws Exception {
        return inbox.once(consumer + "/" + messageId, () -> {
            try (PreparedStatement insert =
                    transaction.currentConnection().prepareStatement("INSERT INTO ledger VALUES (?)")) {
                insert.setString(1, text);
                insert.executeUpdate();
            }
        });
    }

    int bookings() throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet count = statement.executeQuery("SELECT COUNT(*) FROM ledger")) {
            count.next();
            return count.getInt(1);
        }
    }
}
