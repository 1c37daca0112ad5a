package outbox.samples.consumer;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import outbox.domain.TransactionRunner;
import outbox.idempotency.jdbc.JdbcTransactionRunner;
import outbox.inbox.DurableInbox;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;

/** The database of one service, and its transactions. It is a server of its own, so it survives the service. */
final class Database {
    final DataSource dataSource;
    final ThreadLocalTxContext transaction = new ThreadLocalTxContext();
    final TransactionRunner transactions;

    Database(String url) {
        this.dataSource = JdbcConnectionPool.create(url, "", "");
        DataSourceConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
        this.transactions =
                new JdbcTransactionRunner(new JdbcTransactionManager(connections, transaction), transaction);
    }

    void create(String table) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            OutboxSchema.of("h2", "outbox_event").apply(connection);
            OutboxSchema.of("h2", DurableInbox.DEFAULT_TABLE).apply(connection);
            statement.execute(table);
        }
    }

    /** In the transaction of this thread. */
    void update(String sql, String... parameters) throws SQLException {
        try (PreparedStatement statement = transaction.currentConnection().prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            statement.executeUpdate();
        }
    }

    List<String> query(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> found = new ArrayList<>();
            while (rows.next()) {
                found.add(rows.getString(1));
            }
            return found;
        }
    }

    int count(String table) throws SQLException {
        return Integer.parseInt(query("SELECT COUNT(*) FROM " + table).get(0));
    }
}
