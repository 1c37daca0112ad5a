package outbox.torture.cases;

import com.zaxxer.hikari.HikariDataSource;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxWriter;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.registry.DefaultListenerRegistry;
import outbox.spring.SpringTxContext;
import outbox.torture.Arena;
import outbox.torture.TortureCase;
import outbox.torture.worker.Business;
import outbox.torture.worker.LedgerFile;
import outbox.torture.worker.Node;
import outbox.torture.worker.NodeSettings;
import outbox.torture.worker.Setting;

/**
 * Every shape a Spring transaction can have, with the hot path on: an event is delivered if and only if its business
 * row is there in the end.
 */
public final class Transactions implements TortureCase {
    @Override
    public String name() {
        return "transactions";
    }

    @Override
    public String what() {
        return "rollback after hook, nested, REQUIRES_NEW, savepoint, read-only, none";
    }

    @Override
    public boolean isQuick() {
        return true;
    }

    @Override
    public void run(Arena arena) throws Exception {
        NodeSettings settings = arena.named("spring", arena.undisturbed());
        try (HikariDataSource pool = Node.pool(settings);
                LedgerFile ledger = new LedgerFile(Path.of(settings.text(Setting.LEDGER)));
                Outbox outbox = outbox(arena, pool, ledger)) {
            Shapes shapes = new Shapes(arena, pool, outbox.writer());
            for (int i = 0; i < arena.scaled(50, 10); i++) {
                shapes.all();
            }
            arena.awaitEmpty();
            arena.pass(Duration.ofMillis(500)); // what must not come may come late
        }
    }

    private static Outbox outbox(Arena arena, DataSource pool, LedgerFile ledger) {
        return Outbox.multiNode()
                .store(arena.database().store())
                .connections(new DataSourceConnectionProvider(pool))
                .transactions(new SpringTxContext(pool))
                .listeners(new DefaultListenerRegistry()
                        .register(
                                Business.AGGREGATE,
                                Business.PLACED,
                                event -> ledger.delivered(event.eventId(), System.nanoTime())))
                .pollInterval(Duration.ofMillis(250))
                .build()
                .start();
    }

    /** The shapes, one method each. */
    private static final class Shapes {
        private final Arena arena;
        private final DataSource pool;
        private final OutboxWriter writer;
        private final DataSourceTransactionManager manager;

        Shapes(Arena arena, DataSource pool, OutboxWriter writer) {
            this.arena = arena;
            this.pool = pool;
            this.writer = writer;
            this.manager = new DataSourceTransactionManager(pool);
        }

        void all() {
            in(TransactionDefinition.PROPAGATION_REQUIRED, status -> place());
            rollbackAfterHook();
            exception();
            nestedRolledBack();
            nestedCommitted();
            innerOfRolledBackOuter();
            outerOfRolledBackInner();
            savepointOfSpring();
            readOnly();
            none();
        }

        private void rollbackAfterHook() {
            in(TransactionDefinition.PROPAGATION_REQUIRED, status -> {
                place();
                status.setRollbackOnly();
            });
            arena.fault();
        }

        private void exception() {
            refused("a transaction that throws", IllegalArgumentException.class, () -> {
                in(TransactionDefinition.PROPAGATION_REQUIRED, status -> {
                    place();
                    throw new IllegalArgumentException("business says no");
                });
            });
        }

        private void nestedRolledBack() {
            in(TransactionDefinition.PROPAGATION_REQUIRED, outer -> {
                place();
                in(TransactionDefinition.PROPAGATION_NESTED, inner -> {
                    place();
                    inner.setRollbackOnly();
                });
                place();
            });
            arena.fault();
        }

        private void nestedCommitted() {
            in(TransactionDefinition.PROPAGATION_REQUIRED, outer -> {
                in(TransactionDefinition.PROPAGATION_NESTED, inner -> place());
                in(TransactionDefinition.PROPAGATION_REQUIRED, inner -> place());
            });
        }

        private void innerOfRolledBackOuter() {
            in(TransactionDefinition.PROPAGATION_REQUIRED, outer -> {
                place();
                in(TransactionDefinition.PROPAGATION_REQUIRES_NEW, inner -> place());
                outer.setRollbackOnly();
            });
            arena.fault();
        }

        private void outerOfRolledBackInner() {
            in(TransactionDefinition.PROPAGATION_REQUIRED, outer -> {
                place();
                in(TransactionDefinition.PROPAGATION_REQUIRES_NEW, inner -> {
                    place();
                    inner.setRollbackOnly();
                });
            });
            arena.fault();
        }

        private void savepointOfSpring() {
            in(TransactionDefinition.PROPAGATION_REQUIRED, status -> {
                place();
                Object savepoint = status.createSavepoint();
                place();
                status.rollbackToSavepoint(savepoint);
                status.releaseSavepoint(savepoint);
            });
            arena.fault();
        }

        private void readOnly() {
            TransactionTemplate template = new TransactionTemplate(manager);
            template.setReadOnly(true);
            refused(
                    "a read-only transaction",
                    IllegalStateException.class,
                    () -> template.executeWithoutResult(status -> writer.write(event())));
        }

        private void none() {
            refused("no transaction", IllegalStateException.class, () -> writer.write(event()));
        }

        private void refused(String what, Class<? extends RuntimeException> by, Runnable work) {
            arena.fault();
            try {
                work.run();
                arena.expect(false, what + " was accepted");
            } catch (RuntimeException e) {
                arena.expect(by.isInstance(e), what + " was refused by " + e);
            }
        }

        private void in(int propagation, Consumer<TransactionStatus> work) {
            TransactionTemplate template = new TransactionTemplate(manager);
            template.setPropagationBehavior(propagation);
            template.executeWithoutResult(work);
        }

        private void place() {
            EventEnvelope event = event();
            Connection conn = DataSourceUtils.getConnection(pool);
            try {
                Business.insert(conn, event.eventId(), event, 0);
                writer.write(event);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            } finally {
                DataSourceUtils.releaseConnection(conn, pool);
            }
        }

        private static EventEnvelope event() {
            return EventEnvelope.builder(Business.PLACED)
                    .aggregateType(Business.AGGREGATE)
                    .aggregateId("k0")
                    .payloadJson("{}")
                    .build();
        }
    }
}
