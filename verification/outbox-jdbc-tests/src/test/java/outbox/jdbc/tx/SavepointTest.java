package outbox.jdbc.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import org.h2.jdbc.JdbcConnection;
import org.junit.jupiter.api.Test;
import outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.TestDatabase;

class SavepointTest {
    private final TestDatabase database = EmbeddedH2.shared().freshDatabase();
    private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    private final JdbcTransactionManager transactions =
            new JdbcTransactionManager(() -> database.dataSource().getConnection(), txContext);
    private final List<String> log = new ArrayList<>();

    private void work(String name) {
        txContext.afterCommit(() -> log.add(name + " committed"));
        txContext.afterRollback(() -> log.add(name + " rolled back"));
    }

    @Test
    void whatCameAfterASavepointIsRolledBackWithIt() throws SQLException {
        try (Transaction tx = transactions.begin()) {
            work("before");
            Savepoint first = tx.connection().setSavepoint();
            work("after first");
            tx.connection().setSavepoint("second");
            work("after second");
            tx.connection().rollback(first);
            assertThat(log)
                    .as("locks of what was undone are kept until the end")
                    .isEmpty();
            work("later");
            tx.commit();
        }
        assertThat(log)
                .containsExactly(
                        "after first rolled back", "after second rolled back", "before committed", "later committed");
    }

    @Test
    void whatIsUndoneHasNothingToDoBeforeTheCommit() throws SQLException {
        try (Transaction tx = transactions.begin()) {
            txContext.beforeCommit(() -> log.add("before the commit"));
            Savepoint savepoint = tx.connection().setSavepoint();
            txContext.beforeCommit(() -> log.add("undone"));
            tx.connection().rollback(savepoint);
            work("it");
            tx.commit();
        }
        assertThat(log).containsExactly("before the commit", "it committed");
    }

    @Test
    void goingBackTwiceAndRollingBackAllRunsEachCallbackOnce() throws SQLException {
        try (Transaction tx = transactions.begin()) {
            work("before");
            Savepoint savepoint = tx.connection().setSavepoint();
            work("one");
            tx.connection().rollback(savepoint);
            work("two");
            tx.connection().rollback(savepoint);
        }
        assertThat(log).containsExactly("one rolled back", "two rolled back", "before rolled back");
    }

    @Test
    void whatSomebodyRolledBackOnTheConnectionIsNotCommittedWithTheRest() throws SQLException {
        try (Transaction tx = transactions.begin()) {
            work("before");
            tx.connection().rollback();
            work("later");
            tx.commit();
        }
        assertThat(log).containsExactly("before rolled back", "later committed");
    }

    @Test
    void theConnectionIsOtherwiseTheDriversOwn() throws SQLException {
        try (Transaction tx = transactions.begin()) {
            Connection connection = tx.connection();
            assertThat(connection.getMetaData().getDatabaseProductName()).isEqualTo("H2");
            assertThat(connection)
                    .isEqualTo(txContext.currentConnection())
                    .isNotEqualTo(connection.getMetaData().getConnection());
            assertThat(connection.unwrap(JdbcConnection.class))
                    .isSameAs(connection.getMetaData().getConnection());
            assertThatThrownBy(() -> connection.prepareStatement("SELEC 1")).isInstanceOf(SQLException.class);
        }
    }
}
