package outbox.jdbc.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.OutboxWriter;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.store.H2OutboxStore;
import outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import outbox.testing.server.EmbeddedH2;

class JdbcTransactionManagerTest {
    private final DataSource dataSource = EmbeddedH2.shared().freshDatabase().dataSource();
    private final ThreadLocalTxContext context = new ThreadLocalTxContext();
    private final JdbcTransactionManager transactions =
            new JdbcTransactionManager(new DataSourceConnectionProvider(dataSource), context);
    private final OutboxWriter writer = new OutboxWriter(context, new H2OutboxStore());
    private final List<String> calls = new ArrayList<>();

    @BeforeEach
    void createTable() throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            new H2OutboxStore().schema().apply(conn);
        }
    }

    private int rows() throws SQLException {
        try (Connection conn = dataSource.getConnection();
                Statement statement = conn.createStatement();
                ResultSet count = statement.executeQuery("SELECT COUNT(*) FROM outbox_event")) {
            count.next();
            return count.getInt(1);
        }
    }

    @Test
    void whatIsCommittedIsThere() throws SQLException {
        try (Transaction tx = transactions.begin()) {
            assertThat(context.isTransactionActive()).isTrue();
            assertThat(context.currentConnection()).isSameAs(tx.connection());
            writer.write("Placed", "{}");
            assertThat(rows()).isZero();
            tx.commit();
        }
        assertThat(rows()).isOne();
        assertThat(context.isTransactionActive()).isFalse();
    }

    @Test
    void whatIsNotCommittedIsRolledBack() throws SQLException {
        try (Transaction tx = transactions.begin()) {
            writer.write("Placed", "{}");
            context.afterCommit(() -> calls.add("commit"));
            context.afterRollback(() -> calls.add("rollback"));
            assertThat(tx.connection().isClosed()).isFalse();
        }
        assertThat(rows()).isZero();
        assertThat(calls).containsExactly("rollback");
        assertThat(context.isTransactionActive()).isFalse();
    }

    @Test
    void aBusinessFailureRollsBack() {
        assertThatThrownBy(() -> {
                    try (Transaction tx = transactions.begin()) {
                        writer.write("Placed", "{}");
                        throw new IllegalStateException(
                                "no stock, " + tx.connection().getAutoCommit());
                    }
                })
                .hasMessage("no stock, false");
        assertThat(context.isTransactionActive()).isFalse();
    }

    @Test
    void callbacksRunInOrderAfterTheCommitAndMayBeginATransaction() throws SQLException {
        try (Transaction tx = transactions.begin()) {
            writer.write("First", "{}");
            context.afterRollback(() -> calls.add("rollback"));
            context.afterCommit(() -> {
                calls.add("one, active " + context.isTransactionActive());
                try (Transaction next = transactions.begin()) {
                    writer.write("Second", "{}");
                    next.commit();
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            context.afterCommit(() -> calls.add("two"));
            tx.commit();
        }
        assertThat(calls).containsExactly("one, active false", "two");
        assertThat(rows()).isEqualTo(2);
    }

    @Test
    void aCallbackThatThrowsDoesNotStopTheOthers() throws SQLException {
        try (Transaction tx = transactions.begin()) {
            context.afterCommit(() -> {
                throw new IllegalStateException("callback");
            });
            context.afterCommit(() -> {
                throw new AssertionError("callback");
            });
            context.afterCommit(() -> calls.add("still called"));
            tx.commit();
        }
        assertThat(calls).containsExactly("still called");
    }

    @Test
    void nestedTransactionsAreRefusedAndTheOuterOneGoesOn() throws SQLException {
        try (Transaction tx = transactions.begin()) {
            assertThatThrownBy(transactions::begin)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("do not nest")
                    .hasMessageContaining(Thread.currentThread().getName());
            writer.write("Placed", "{}");
            tx.commit();
        }
        assertThat(rows()).isOne();
    }

    @Test
    void anEndedTransactionIsNotUsedAgain() throws SQLException {
        Transaction tx = transactions.begin();
        tx.commit();
        assertThatThrownBy(tx::commit).isInstanceOf(IllegalStateException.class).hasMessageContaining("ended");
        assertThatThrownBy(tx::rollback).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(tx::connection).isInstanceOf(IllegalStateException.class);
        tx.close();
    }

    @Test
    void autocommitIsRestored() throws SQLException {
        AtomicReference<Connection> used = new AtomicReference<>();
        List<String> seen = new ArrayList<>();
        JdbcTransactionManager watched = new JdbcTransactionManager(
                () -> {
                    used.set(watch(dataSource.getConnection(), seen, "never"));
                    return used.get();
                },
                context);
        watched.begin().commit();
        assertThat(seen).containsSubsequence("setAutoCommit(false)", "commit", "setAutoCommit(true)", "close");
        seen.clear();
        watched.begin().rollback();
        assertThat(seen).containsSubsequence("setAutoCommit(false)", "rollback", "setAutoCommit(true)", "close");
    }

    @Test
    void aCommitThatIsRefusedRollsBack() {
        List<String> seen = new ArrayList<>();
        JdbcTransactionManager failing =
                new JdbcTransactionManager(() -> watch(dataSource.getConnection(), seen, "commit"), context);
        assertThatThrownBy(() -> {
                    try (Transaction tx = failing.begin()) {
                        writer.write("Placed", "{}");
                        context.afterCommit(() -> calls.add("commit"));
                        context.afterRollback(() -> calls.add("rollback"));
                        tx.commit();
                    }
                })
                .isInstanceOf(SQLException.class)
                .hasMessage("commit fails");
        assertThat(calls).containsExactly("rollback");
        assertThat(seen).endsWith("close");
        assertThat(context.isTransactionActive()).isFalse();
    }

    @Test
    void aCommitOfUnknownOutcomeRunsNoCallbacks() {
        List<String> seen = new ArrayList<>();
        JdbcTransactionManager failing =
                new JdbcTransactionManager(() -> watch(dataSource.getConnection(), seen, "commit,rollback"), context);
        assertThatThrownBy(() -> {
                    try (Transaction tx = failing.begin()) {
                        context.afterCommit(() -> calls.add("commit"));
                        context.afterRollback(() -> calls.add("rollback"));
                        tx.commit();
                    }
                })
                .hasMessage("commit fails");
        assertThat(calls).isEmpty();
        assertThat(seen).contains("close");
        assertThat(context.isTransactionActive()).isFalse();
    }

    @Test
    void aDriverThatFailsUnheardOfLeavesTheThreadFree() {
        List<String> seen = new ArrayList<>();
        JdbcTransactionManager failing = new JdbcTransactionManager(
                () -> watch(dataSource.getConnection(), seen, "commit,rollback", IllegalStateException::new), context);
        assertThatThrownBy(() -> {
                    try (Transaction tx = failing.begin()) {
                        tx.commit();
                    }
                })
                .hasMessage("commit fails");
        assertThat(seen).contains("close");
        assertThat(context.isTransactionActive()).isFalse();
    }

    @Test
    void aTransactionBelongsToItsThread() throws Exception {
        try (Transaction tx = transactions.begin()) {
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Thread other = new Thread(() -> {
                assertThat(context.isTransactionActive()).isFalse();
                try {
                    tx.commit();
                } catch (Exception e) {
                    failure.set(e);
                }
            });
            other.start();
            other.join();
            assertThat(failure.get()).isInstanceOf(IllegalStateException.class).hasMessageContaining("belongs to");
            tx.commit();
        }
    }

    @Test
    void withoutATransactionNothingCanBeRegistered() {
        assertThatThrownBy(() -> context.afterCommit(() -> {})).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> context.afterRollback(() -> {})).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(context::currentConnection)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("begin");
        assertThatThrownBy(() -> writer.write("Placed", "{}"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no active transaction");
    }

    @Test
    void aConnectionThatCanNotBeHadLeavesNoTransactionBehind() {
        JdbcTransactionManager failing = new JdbcTransactionManager(
                () -> {
                    throw new SQLException("pool is empty");
                },
                context);
        assertThatThrownBy(failing::begin).hasMessage("pool is empty");
        JdbcTransactionManager broken = new JdbcTransactionManager(
                () -> watch(dataSource.getConnection(), new ArrayList<>(), "setAutoCommit"), context);
        assertThatThrownBy(broken::begin).hasMessage("setAutoCommit fails");
        assertThat(context.isTransactionActive()).isFalse();
    }

    /** Writes down the calls that matter and fails those named. */
    private static Connection watch(Connection real, List<String> seen, String failing) {
        return watch(real, seen, failing, SQLException::new);
    }

    private static Connection watch(
            Connection real, List<String> seen, String failing, Function<String, Exception> failure) {
        return (Connection) Proxy.newProxyInstance(
                JdbcTransactionManagerTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, args) -> {
                    String name = method.getName();
                    seen.add(name + (name.equals("setAutoCommit") ? "(" + args[0] + ")" : ""));
                    if (List.of(failing.split(",")).contains(name)) {
                        throw failure.apply(name + " fails");
                    }
                    try {
                        return method.invoke(real, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
