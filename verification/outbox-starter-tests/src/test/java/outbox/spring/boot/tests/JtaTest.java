package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.inTransaction;

import com.arjuna.ats.arjuna.common.arjPropertyManager;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;
import javax.sql.XAConnection;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.jta.JtaTransactionManager;
import outbox.OutboxWriter;
import outbox.domain.DomainEventPublisher;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.spring.boot.tests.Apps.OrderPlaced;

/** JTA transactions, by Narayana: an event may be the first statement, the last, or the only one. */
class JtaTest {
    @TempDir
    static Path logs;

    @BeforeAll
    static void keepLogsOutOfTheProject() {
        arjPropertyManager.getObjectStoreEnvironmentBean().setObjectStoreDir(logs.toString());
    }

    /** What a pool for JTA does: a connection that is asked for in a transaction takes part in it. */
    private static final class XaDataSource extends AbstractDataSource {
        private final JdbcDataSource h2 = new JdbcDataSource();
        private final TransactionManager transactions = com.arjuna.ats.jta.TransactionManager.transactionManager();

        XaDataSource() {
            h2.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        }

        @Override
        public Connection getConnection() throws SQLException {
            try {
                Transaction current = transactions.getTransaction();
                if (current == null) {
                    return h2.getConnection();
                }
                XAConnection connection = h2.getXAConnection();
                current.enlistResource(connection.getXAResource());
                return closedAtTheEnd(connection.getConnection());
            } catch (SQLException e) {
                throw e;
            } catch (Exception e) {
                throw new SQLException(e);
            }
        }

        /** Spring closes it before the commit, which would undo the work on H2. */
        private static Connection closedAtTheEnd(Connection connection) {
            return (Connection) Proxy.newProxyInstance(
                    JtaTest.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("close")) {
                            return null;
                        }
                        try {
                            return method.invoke(connection, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }

        @Override
        public Connection getConnection(String username, String password) throws SQLException {
            return getConnection();
        }
    }

    private static ApplicationContextRunner jta(DataSource dataSource) {
        return app(Mailer.class)
                .withPropertyValues("outbox.schema.mode=always")
                .withBean(DataSource.class, () -> dataSource)
                .withBean(
                        PlatformTransactionManager.class,
                        () -> new JtaTransactionManager(
                                com.arjuna.ats.jta.UserTransaction.userTransaction(),
                                com.arjuna.ats.jta.TransactionManager.transactionManager()));
    }

    private static void publish(ApplicationContext context, String order) {
        context.getBean(DomainEventPublisher.class).publish(new OrderPlaced(order));
    }

    @Test
    void theOrderOfStatementsDoesNotMatter() {
        jta(new XaDataSource()).run(context -> {
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            jdbc.execute("CREATE TABLE orders (id VARCHAR(10) PRIMARY KEY)");
            inTransaction(context, () -> {
                publish(context, "first");
                jdbc.update("INSERT INTO orders VALUES ('first')");
            });
            inTransaction(context, () -> {
                jdbc.update("INSERT INTO orders VALUES ('last')");
                publish(context, "last");
            });
            inTransaction(context, () -> publish(context, "only"));
            await().untilAsserted(() ->
                    assertThat(context.getBean(Mailer.class).mails).containsExactlyInAnyOrder("first", "last", "only"));

            assertThatThrownBy(() -> inTransaction(context, () -> {
                        publish(context, "undone");
                        jdbc.update("INSERT INTO orders VALUES ('first')");
                    }))
                    .isNotNull();
            assertThat(jdbc.queryForObject("SELECT COUNT(*) FROM outbox_event", Integer.class))
                    .isEqualTo(3);
            assertThat(jdbc.queryForObject("SELECT COUNT(*) FROM orders", Integer.class))
                    .isEqualTo(2);
        });
    }

    @Test
    void aDataSourceThatTakesNoPartIsRefusedInAnyOrder() {
        DataSource plain = new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        jta(plain).run(context -> {
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            assertThatThrownBy(() -> inTransaction(
                            context, () -> context.getBean(OutboxWriter.class).write("order.placed", "{}")))
                    .hasStackTraceContaining("does not span the data source");
            assertThatThrownBy(() -> inTransaction(context, () -> {
                        jdbc.queryForObject("SELECT COUNT(*) FROM outbox_event", Integer.class);
                        context.getBean(OutboxWriter.class).write("order.placed", "{}");
                    }))
                    .hasStackTraceContaining("does not span the data source");
        });
    }

    /** A pool that serves JTA transactions only. */
    private static DataSource withoutLocalTransactions() {
        XaDataSource xa = new XaDataSource();
        return new AbstractDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = xa.getConnection();
                return (Connection) Proxy.newProxyInstance(
                        JtaTest.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("setAutoCommit") && Boolean.FALSE.equals(arguments[0])) {
                                throw new SQLException("no JTA transaction is active");
                            }
                            try {
                                return method.invoke(connection, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
            }

            @Override
            public Connection getConnection(String username, String password) throws SQLException {
                return getConnection();
            }
        };
    }

    @Test
    void aPoolThatServesJtaTransactionsOnlyIsRefusedAtTheStart() {
        jta(withoutLocalTransactions())
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("allows no transaction outside of JTA (no JTA transaction is active)")
                        .hasStackTraceContaining("Allow local transactions in the pool"));
    }
}
