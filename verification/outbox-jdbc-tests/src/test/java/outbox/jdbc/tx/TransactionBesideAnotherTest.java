package outbox.jdbc.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import outbox.spi.ConnectionProvider;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.TestDatabase;

class TransactionBesideAnotherTest {
    private final TestDatabase database = EmbeddedH2.shared().freshDatabase();
    private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    private final List<String> log = new ArrayList<>();
    private boolean refusing;

    private final ConnectionProvider connections = () -> {
        if (refusing) {
            throw new SQLException("no connection left");
        }
        return database.dataSource().getConnection();
    };
    private final JdbcTransactionManager transactions = new JdbcTransactionManager(connections, txContext);

    @Test
    void theOuterTransactionIsTheThreadsAgainWhenTheInnerOneHasCommitted() throws SQLException {
        try (Transaction outer = transactions.begin()) {
            Connection outerConnection = txContext.currentConnection();
            txContext.afterRollback(() -> log.add("outer rolled back"));
            try (Transaction inner = transactions.beginNew()) {
                assertThat(txContext.currentConnection()).isNotSameAs(outerConnection);
                txContext.afterCommit(() -> log.add("inner committed, active: " + txContext.isTransactionActive()));
                inner.commit();
            }
            assertThat(txContext.currentConnection()).isSameAs(outerConnection);
        }
        assertThat(log).containsExactly("inner committed, active: false", "outer rolled back");
        assertThat(txContext.isTransactionActive()).isFalse();
    }

    @Test
    void theOuterTransactionGoesOnWhenTheInnerOneIsRolledBack() throws SQLException {
        try (Transaction outer = transactions.begin()) {
            txContext.afterCommit(() -> log.add("outer committed"));
            try (Transaction inner = transactions.beginNew()) {
                txContext.afterRollback(() -> log.add("inner rolled back"));
            }
            outer.commit();
        }
        assertThat(log).containsExactly("inner rolled back", "outer committed");
    }

    @Test
    void anInnerTransactionThatCanNotBeginLeavesTheOuterOneInPlace() throws SQLException {
        try (Transaction outer = transactions.begin()) {
            refusing = true;
            assertThatThrownBy(transactions::beginNew).hasMessage("no connection left");
            assertThat(txContext.currentConnection()).isSameAs(outer.connection());
        }
    }

    @Test
    void withoutAnOuterOneItIsAnOrdinaryTransaction() throws SQLException {
        try (Transaction only = transactions.beginNew()) {
            assertThat(txContext.currentConnection()).isSameAs(only.connection());
            only.commit();
        }
        assertThat(txContext.isTransactionActive()).isFalse();
    }
}
