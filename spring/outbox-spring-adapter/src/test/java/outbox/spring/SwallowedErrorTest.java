package outbox.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

/** On PostgreSQL one failed statement dooms the transaction, and neither driver nor Spring say so at the commit. */
class SwallowedErrorTest {
    private final TestDatabase database = EmbeddedPostgres.shared().freshDatabase();
    private final DataSource dataSource = database.dataSource();
    private final DataSourceTransactionManager manager = new DataSourceTransactionManager(dataSource);
    private final TransactionTemplate transactions = new TransactionTemplate(manager);
    private final JdbcTemplate jdbc = new JdbcTemplate(dataSource);
    private final SpringTxContext context = new SpringTxContext(dataSource);
    private final List<String> callbacks = new ArrayList<>();

    @AfterEach
    void drop() {
        database.drop();
    }

    @Test
    void theCommitFailsAndCountsAsARollback() {
        assertThatThrownBy(() -> transactions.executeWithoutResult(status -> {
                    register();
                    failAndSwallow();
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("cannot commit");
        assertThat(callbacks).containsExactly("rolled back");
    }

    @Test
    void anErrorInANestedTransactionLeavesTheOuterOneWhole() {
        TransactionTemplate nested = new TransactionTemplate(manager);
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        transactions.executeWithoutResult(outer -> {
            register();
            nested.executeWithoutResult(inner -> {
                failAndSwallow();
                inner.setRollbackOnly();
            });
        });
        assertThat(callbacks).containsExactly("committed");
    }

    private void register() {
        context.afterCommit(() -> callbacks.add("committed"));
        context.afterRollback(() -> callbacks.add("rolled back"));
    }

    private void failAndSwallow() {
        assertThatThrownBy(() -> jdbc.execute("SELECT 1 / 0")).isInstanceOf(DataAccessException.class);
    }
}
