package outbox.jdbc.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxWriter;
import outbox.WriterHook;
import outbox.jdbc.TestTable;
import outbox.jdbc.store.PostgresOutboxStore;
import outbox.spi.DuplicateEventException;
import outbox.testing.server.EmbeddedPostgres;

/** On PostgreSQL one failed statement dooms the transaction, and the driver's commit does not say so. */
class SwallowedErrorIT {
    private final PostgresOutboxStore store = new PostgresOutboxStore();
    private final ThreadLocalTxContext context = new ThreadLocalTxContext();
    private final List<String> committed = new ArrayList<>();
    private final List<String> rolledBack = new ArrayList<>();
    private final OutboxWriter writer = new OutboxWriter(context, store, new WriterHook() {
        @Override
        public void afterCommit(List<EventEnvelope> events) {
            events.forEach(event -> committed.add(event.eventId()));
        }

        @Override
        public void afterRollback(List<EventEnvelope> events) {
            events.forEach(event -> rolledBack.add(event.eventId()));
        }
    });
    private TestTable table;
    private HikariDataSource pool;
    private JdbcTransactionManager transactions;

    @BeforeEach
    void connect() throws SQLException {
        table = new TestTable(EmbeddedPostgres.shared(), store);
        HikariConfig config = new HikariConfig();
        config.setDataSource(table.dataSource());
        config.setMaximumPoolSize(1);
        pool = new HikariDataSource(config);
        transactions = new JdbcTransactionManager(pool::getConnection, context);
    }

    @AfterEach
    void drop() throws SQLException {
        pool.close();
        table.close();
    }

    @Test
    void theCommitSaysThatThereWasNone() throws SQLException {
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            String id = writer.write("E", "{}");
            failAndSwallow(tx);
            assertThatThrownBy(tx::commit).isInstanceOf(SQLException.class).hasMessageContaining("not committed");
            assertThat(committed).isEmpty();
            assertThat(rolledBack).containsExactly(id);
        }
        commitOne();
    }

    @Test
    void aDuplicateThatIsSwallowedDoesNotLetTheOthersBeDelivered() throws SQLException {
        EventEnvelope twice = EventEnvelope.ofJson("E", "{}");
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            writer.write(twice);
            assertThatThrownBy(() -> writer.write(twice)).isInstanceOf(DuplicateEventException.class);
            assertThatThrownBy(tx::commit).isInstanceOf(SQLException.class);
        }
        assertThat(committed).isEmpty();
    }

    @Test
    void afterGoingBackToASavepointTheCommitIsOne() throws SQLException {
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            String id = writer.write("E", "{}");
            Savepoint savepoint = tx.connection().setSavepoint();
            failAndSwallow(tx);
            tx.connection().rollback(savepoint);
            tx.commit();
            assertThat(committed).containsExactly(id);
        }
    }

    private void commitOne() throws SQLException {
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            writer.write("E", "{}");
            tx.commit();
        }
        assertThat(committed).hasSize(1);
    }

    private static void failAndSwallow(JdbcTransactionManager.Transaction tx) throws SQLException {
        try (Statement statement = tx.connection().createStatement()) {
            assertThatThrownBy(() -> statement.execute("SELECT 1 / 0")).isInstanceOf(SQLException.class);
        }
    }
}
