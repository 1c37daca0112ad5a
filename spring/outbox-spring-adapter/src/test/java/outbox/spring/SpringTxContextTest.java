package outbox.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_NESTED;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_NOT_SUPPORTED;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_REQUIRED;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_REQUIRES_NEW;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_SUPPORTS;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.SpringVersion;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.TestDatabase;

class SpringTxContextTest {
    private final TestDatabase database = EmbeddedH2.shared().freshDatabase();
    private final DataSource dataSource = database.dataSource();
    private final DataSourceTransactionManager manager = new DataSourceTransactionManager(dataSource);
    private final JdbcTemplate jdbc = new JdbcTemplate(dataSource);
    private final SpringTxContext context = new SpringTxContext(dataSource);
    private final List<String> ran = new ArrayList<>();

    @BeforeEach
    void createTable() {
        jdbc.execute("CREATE TABLE change (name VARCHAR(64))");
    }

    @AfterEach
    void threadIsClean() {
        assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
        assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                .isFalse();
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
        database.drop();
    }

    @Test
    void runsOnTheSpringItIsMeantToRunOn() {
        String expected = System.getProperty("expected.spring.version");
        if (expected != null) { // set by the build, which runs this class on two versions
            assertThat(SpringVersion.getVersion()).isEqualTo(expected);
        }
    }

    @Test
    void withoutATransactionEverythingIsRefusedWithAReason() {
        assertThat(context.isTransactionActive()).isFalse();
        assertThatThrownBy(context::currentConnection)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no transaction is active")
                .hasMessageContaining("currentConnection")
                .hasMessageContaining("@Transactional");
        assertThatThrownBy(() -> context.afterCommit(() -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("afterCommit");
        assertThatThrownBy(() -> context.afterRollback(() -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("afterRollback");
    }

    @Test
    void theConnectionIsThatOfTheBusinessChange() {
        inTransaction(status -> {
            assertThat(context.isTransactionActive()).isTrue();
            jdbc.execute((ConnectionCallback<Void>) connection -> {
                assertThat(context.currentConnection()).isSameAs(DataSourceUtils.getTargetConnection(connection));
                return null;
            });
        });
    }

    @Test
    void afterCommitRunsOnceTheChangeIsVisibleToOthers() {
        inTransaction(status -> {
            change("order");
            context.afterCommit(() -> ran.add("committed, others see " + seenByOthers()));
            context.afterRollback(() -> ran.add("rolled back"));
            assertThat(ran).isEmpty();
        });
        assertThat(ran).containsExactly("committed, others see [order]");
    }

    @Test
    void afterRollbackRunsWhenTheWorkThrows() {
        assertThatThrownBy(() -> inTransaction(status -> {
                    listen("change");
                    throw new IllegalStateException("out of stock");
                }))
                .hasMessage("out of stock");
        assertThat(ran).containsExactly("change rolled back");
    }

    @Test
    void afterRollbackRunsWhenTheWorkAsksForIt() {
        inTransaction(status -> {
            listen("change");
            status.setRollbackOnly();
        });
        assertThat(ran).containsExactly("change rolled back");
    }

    @Test
    void aParticipatingFailureRollsTheWholeTransactionBack() {
        assertThatThrownBy(() -> inTransaction(outer -> {
                    listen("outer");
                    inTransaction(inner -> {
                        listen("inner");
                        inner.setRollbackOnly();
                    });
                }))
                .isInstanceOf(UnexpectedRollbackException.class);
        assertThat(ran).containsExactly("outer rolled back", "inner rolled back");
    }

    @Test
    void callbacksRunInTheOrderTheyWereRegistered() {
        inTransaction(status -> {
            listen("first");
            listen("second");
            listen("third");
        });
        assertThat(ran).containsExactly("first committed", "second committed", "third committed");
    }

    @Test
    void requiresNewEndsOnItsOwn() {
        inTransaction(outer -> {
            Connection outerConnection = context.currentConnection();
            listen("outer");
            in(PROPAGATION_REQUIRES_NEW, inner -> {
                assertThat(context.currentConnection()).isNotSameAs(outerConnection);
                listen("inner");
            });
            assertThat(ran).containsExactly("inner committed");
            assertThat(context.currentConnection()).isSameAs(outerConnection);
            outer.setRollbackOnly();
        });
        assertThat(ran).containsExactly("inner committed", "outer rolled back");
    }

    @Test
    void aRolledBackNestedPartCountsAsRolledBackWhenTheRestCommits() {
        inTransaction(outer -> {
            change("before");
            listen("before");
            in(PROPAGATION_NESTED, nested -> {
                change("nested");
                listen("nested");
                nested.setRollbackOnly();
            });
            change("after");
            listen("after");
            assertThat(ran).isEmpty();
        });
        assertThat(ran).containsExactly("before committed", "nested rolled back", "after committed");
        assertThat(seenByOthers()).containsExactly("before", "after");
    }

    @Test
    void aNestedPartThatSucceedsSharesTheEndOfTheTransaction() {
        inTransaction(outer -> in(PROPAGATION_NESTED, nested -> listen("nested")));
        assertThat(ran).containsExactly("nested committed");
        ran.clear();

        inTransaction(outer -> {
            in(PROPAGATION_NESTED, nested -> listen("nested"));
            outer.setRollbackOnly();
        });
        assertThat(ran).containsExactly("nested rolled back");
    }

    @Test
    void goingBackToASavepointUndoesWhatCameAfterItOnly() {
        inTransaction(status -> {
            listen("a");
            Object afterA = status.createSavepoint();
            listen("b");
            Object afterB = status.createSavepoint();
            listen("c");
            status.rollbackToSavepoint(afterB);
            listen("d");
            status.rollbackToSavepoint(afterA);
            listen("e");
            status.rollbackToSavepoint(afterA);
            listen("f");
            status.releaseSavepoint(afterA);
        });
        assertThat(ran)
                .containsExactly(
                        "a committed",
                        "b rolled back",
                        "c rolled back",
                        "d rolled back",
                        "e rolled back",
                        "f committed");
    }

    @Test
    void beforeCommitIsTheLastPartOfATransactionThatCommits() {
        inTransaction(outer -> {
            context.beforeCommit(() -> change("last"));
            in(PROPAGATION_NESTED, nested -> {
                context.beforeCommit(() -> change("of what was undone"));
                nested.setRollbackOnly();
            });
            change("first");
        });
        inTransaction(status -> {
            context.beforeCommit(() -> ran.add("never"));
            status.setRollbackOnly();
        });
        assertThat(seenByOthers()).containsExactly("first", "last");
        assertThat(ran).isEmpty();
    }

    @Test
    void whatThrowsBeforeTheCommitRollsBack() {
        assertThatThrownBy(() -> inTransaction(status -> {
                    change("undone");
                    listen("it");
                    context.beforeCommit(() -> {
                        throw new IllegalStateException("no");
                    });
                }))
                .hasMessage("no");
        assertThat(seenByOthers()).isEmpty();
        assertThat(ran).containsExactly("it rolled back");
    }

    @Test
    void readOnlyTransactionsHaveNoConnectionForEvents() {
        TransactionTemplate readOnly = new TransactionTemplate(manager);
        readOnly.setReadOnly(true);
        readOnly.setName("report");
        readOnly.executeWithoutResult(status -> {
            assertThat(context.isTransactionActive()).isTrue();
            assertThatThrownBy(context::currentConnection)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("'report' is read-only");
            listen("report");
        });
        assertThat(ran).containsExactly("report committed");
    }

    @Test
    void aThreadThatOnlySupportsTransactionsHasNone() {
        in(
                PROPAGATION_SUPPORTS,
                status -> assertThat(context.isTransactionActive()).isFalse());
        in(PROPAGATION_SUPPORTS, status -> {
            change("autocommit"); // binds a connection that is in no transaction
            assertThat(context.isTransactionActive()).isFalse();
        });
        inTransaction(outer -> {
            in(
                    PROPAGATION_SUPPORTS,
                    status -> assertThat(context.isTransactionActive()).isTrue());
            in(
                    PROPAGATION_NOT_SUPPORTED,
                    status -> assertThat(context.isTransactionActive()).isFalse());
            assertThat(context.isTransactionActive()).isTrue();
        });
    }

    @Test
    void aTransactionOfAnotherDataSourceDoesNotCount() {
        TestDatabase other = EmbeddedH2.shared().freshDatabase();
        TransactionTemplate elsewhere = new TransactionTemplate(new DataSourceTransactionManager(other.dataSource()));
        elsewhere.setName("shipping");
        elsewhere.executeWithoutResult(status -> {
            assertThat(context.isTransactionActive()).isFalse();
            assertThatThrownBy(context::currentConnection)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("'shipping' does not span the data source");
            change("commits on its own"); // binds a connection that merely comes along
            assertThat(context.isTransactionActive()).isFalse();
            assertThatThrownBy(() -> context.afterCommit(() -> {})).isInstanceOf(IllegalStateException.class);
        });
        other.drop();
    }

    @Test
    void aConnectionThatCameAlongAndWasGivenBackMeanwhileDoesNotCountEither() {
        TestDatabase other = EmbeddedH2.shared().freshDatabase();
        TransactionTemplate elsewhere = new TransactionTemplate(new DataSourceTransactionManager(other.dataSource()));
        TransactionTemplate suspending = new TransactionTemplate(elsewhere.getTransactionManager());
        suspending.setPropagationBehavior(PROPAGATION_REQUIRES_NEW);
        elsewhere.executeWithoutResult(outer -> {
            change("commits on its own");
            suspending.executeWithoutResult(inner -> {});
            assertThat(context.isTransactionActive()).isFalse();
            assertThatThrownBy(context::currentConnection)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("does not span the data source");
        });
        other.drop();
    }

    @Test
    void aCallbackThatThrowsBreaksNeitherTheCallerNorTheOthers() {
        assertThatCode(() -> inTransaction(status -> {
                    change("order");
                    context.afterCommit(() -> {
                        throw new IllegalStateException("callback");
                    });
                    context.afterCommit(() -> {
                        throw new AssertionError("callback");
                    });
                    listen("order");
                }))
                .doesNotThrowAnyException();
        assertThat(ran).containsExactly("order committed");
        assertThat(seenByOthers()).containsExactly("order");
    }

    @Test
    void aSynchronizationOfSomebodyElseThatThrowsDoesNotStopOurs() {
        assertThatThrownBy(() -> inTransaction(status -> {
                    TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                        @Override
                        public void afterCommit() {
                            throw new IllegalStateException("theirs");
                        }
                    });
                    listen("order");
                }))
                .hasMessage("theirs");
        assertThat(ran).containsExactly("order committed");
    }

    @Test
    void aCallbackFindsNoTransactionAndNoHalfClosedConnection() {
        inTransaction(status -> {
            Connection finished = context.currentConnection();
            context.afterCommit(() -> {
                assertThat(context.isTransactionActive()).isFalse();
                assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                        .isFalse();
                assertThat(TransactionSynchronizationManager.hasResource(dataSource))
                        .isFalse();
                jdbc.execute((ConnectionCallback<Void>) connection -> {
                    assertThat(DataSourceUtils.getTargetConnection(connection)).isNotSameAs(finished);
                    assertThat(connection.getAutoCommit()).isTrue();
                    return null;
                });
                ran.add("looked");
            });
        });
        assertThat(ran).containsExactly("looked");
    }

    @Test
    void aCallbackMayBeginATransaction() {
        inTransaction(status -> {
            change("first");
            context.afterCommit(() -> inTransaction(next -> {
                assertThat(next.isNewTransaction()).isTrue();
                change("second");
                listen("second");
            }));
            listen("first");
        });
        assertThat(ran).containsExactly("second committed", "first committed");
        assertThat(seenByOthers()).containsExactly("first", "second");
    }

    @Test
    void theOuterTransactionGoesOnAfterCallbacksOfAnInnerOne() {
        inTransaction(outer -> {
            change("outer 1");
            in(PROPAGATION_REQUIRES_NEW, inner -> {
                change("inner");
                context.afterCommit(() -> inTransaction(next -> change("callback")));
            });
            change("outer 2");
            assertThat(seenByOthers()).containsExactly("inner", "callback");
            outer.setRollbackOnly();
        });
        assertThat(seenByOthers()).containsExactly("inner", "callback");
    }

    @Test
    void codeThatRunsAfterTheEndIsToldToBeginItsOwnTransaction() {
        inTransaction(status -> TransactionSynchronizationManager.registerSynchronization(
                new TransactionSynchronization() { // as @TransactionalEventListener does
                    @Override
                    public void afterCompletion(int end) {
                        assertThat(context.isTransactionActive()).isFalse();
                        assertThatThrownBy(context::currentConnection)
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("has ended")
                                .hasMessageContaining("REQUIRES_NEW");
                        ran.add("told");
                    }
                }));
        assertThat(ran).containsExactly("told");
    }

    @Test
    void aLateWriteInBeforeCommitIsPartOfTheTransaction() {
        inTransaction(
                status -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void beforeCommit(boolean readOnly) {
                        change("late");
                        listen("late");
                    }
                }));
        assertThat(ran).containsExactly("late committed");
        assertThat(seenByOthers()).containsExactly("late");
    }

    @Test
    void whenNobodyKnowsHowTheCommitEndedNoCallbackRuns() {
        DataSource unreliable = commitsFail(dataSource);
        SpringTxContext onUnreliable = new SpringTxContext(unreliable);
        TransactionTemplate template = new TransactionTemplate(new DataSourceTransactionManager(unreliable));
        assertThatThrownBy(() -> template.executeWithoutResult(status -> {
                    onUnreliable.afterCommit(() -> ran.add("committed"));
                    onUnreliable.afterRollback(() -> ran.add("rolled back"));
                }))
                .isInstanceOf(TransactionSystemException.class);
        assertThat(ran).isEmpty();
    }

    @Test
    void aCommitThatFailedAndWasRolledBackCountsAsRolledBack() {
        DataSource unreliable = commitsFail(dataSource);
        SpringTxContext onUnreliable = new SpringTxContext(unreliable);
        JdbcTransactionManager rollsBack = new JdbcTransactionManager(unreliable);
        rollsBack.setRollbackOnCommitFailure(true);
        assertThatThrownBy(() -> new TransactionTemplate(rollsBack).executeWithoutResult(status -> {
                    onUnreliable.afterCommit(() -> ran.add("committed"));
                    onUnreliable.afterRollback(() -> ran.add("rolled back"));
                }))
                .isInstanceOf(RuntimeException.class);
        assertThat(ran).containsExactly("rolled back");
    }

    @Test
    void proxiesThatSpringUnwrapsAreUnwrappedHereToo() {
        SpringTxContext onProxy = new SpringTxContext(new TransactionAwareDataSourceProxy(dataSource));
        inTransaction(status -> {
            assertThat(onProxy.isTransactionActive()).isTrue();
            assertThat(onProxy.currentConnection()).isSameAs(context.currentConnection());
        });
    }

    @Test
    void aLazyDataSourceWorksToo() {
        LazyConnectionDataSourceProxy lazy = new LazyConnectionDataSourceProxy(dataSource);
        SpringTxContext onLazy = new SpringTxContext(lazy);
        new TransactionTemplate(new DataSourceTransactionManager(lazy)).executeWithoutResult(status -> {
            assertThat(onLazy.isTransactionActive()).isTrue();
            new JdbcTemplate(lazy).update("INSERT INTO change VALUES ('lazy')");
            onLazy.afterCommit(() -> ran.add("committed"));
        });
        assertThat(ran).containsExactly("committed");
        assertThat(seenByOthers()).containsExactly("lazy");
    }

    private void listen(String what) {
        context.afterCommit(() -> ran.add(what + " committed"));
        context.afterRollback(() -> ran.add(what + " rolled back"));
    }

    private void change(String name) {
        jdbc.update("INSERT INTO change VALUES (?)", name);
    }

    private List<String> seenByOthers() {
        try (Connection other = dataSource.getConnection();
                var statement = other.createStatement();
                var rows = statement.executeQuery("SELECT name FROM change")) {
            List<String> names = new ArrayList<>();
            while (rows.next()) {
                names.add(rows.getString(1));
            }
            return names;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void inTransaction(Consumer<TransactionStatus> work) {
        in(PROPAGATION_REQUIRED, work);
    }

    private void in(int propagation, Consumer<TransactionStatus> work) {
        TransactionTemplate template = new TransactionTemplate(manager);
        template.setPropagationBehavior(propagation);
        template.executeWithoutResult(work);
    }

    /** Connections that break when they are to commit. */
    private static DataSource commitsFail(DataSource target) {
        return new AbstractDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = target.getConnection();
                return (Connection) Proxy.newProxyInstance(
                        Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                            if (method.getName().equals("commit")) {
                                throw new SQLException("connection lost during commit", "08006");
                            }
                            try {
                                return method.invoke(connection, args);
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
}
