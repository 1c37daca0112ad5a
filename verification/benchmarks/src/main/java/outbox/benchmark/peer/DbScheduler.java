package outbox.benchmark.peer;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.benchmark.BenchDatabase;
import outbox.benchmark.BenchServer;
import outbox.benchmark.Contender;
import outbox.benchmark.Payloads;
import outbox.benchmark.Versions;

/** db-scheduler: one-time tasks in a table, polled; a check can be asked for after the commit. */
public final class DbScheduler implements Contender {
    private static final String TABLE = "scheduled_tasks";

    @Override
    public String id() {
        return "dbscheduler";
    }

    @Override
    public String title() {
        return "db-scheduler " + Versions.of(id());
    }

    @Override
    public String remarks() {
        return "One-time tasks scheduled in the business transaction, lock-and-fetch with limits 4 and 20 as its README"
                + " recommends for throughput (on MariaDB, where it has none, its default), " + Peers.THREADS
                + " threads, a check triggered after each commit;"
                + " processed rows are deleted.";
    }

    @Override
    public void createTables(BenchDatabase database) throws SQLException {
        String bytes = switch (database.kind()) {
            case POSTGRESQL -> "BYTEA";
            case MYSQL, MARIADB, H2 -> "BLOB";
        };
        String time = switch (database.kind()) {
            case POSTGRESQL, H2 -> "TIMESTAMP(6) WITH TIME ZONE";
            case MYSQL, MARIADB -> "TIMESTAMP(6)";
        };
        String due = time + " NOT NULL";
        String maybe = time + " NULL";
        // As in its documentation; the scripts are not part of its jar.
        database.execute(
                "CREATE TABLE scheduled_tasks (task_name VARCHAR(100) NOT NULL, task_instance VARCHAR(100) NOT NULL,"
                        + " task_data " + bytes + ", execution_time " + due + ", picked BOOLEAN NOT NULL,"
                        + " picked_by VARCHAR(50), last_success " + maybe + ", last_failure " + maybe
                        + ", consecutive_failures INT, last_heartbeat " + maybe + ", version BIGINT NOT NULL,"
                        + " priority SMALLINT, PRIMARY KEY (task_name, task_instance))",
                "CREATE INDEX execution_time_idx ON scheduled_tasks (execution_time)",
                "CREATE INDEX last_heartbeat_idx ON scheduled_tasks (last_heartbeat)");
    }

    @Override
    public void clear(BenchDatabase database) throws SQLException {
        database.clear(TABLE);
    }

    private static OneTimeTask<String> task(Runnable listener) {
        return Tasks.oneTime("event", String.class).execute((instance, context) -> listener.run());
    }

    @Override
    public void seed(BenchDatabase database, int events) throws SQLException {
        OneTimeTask<String> task = task(() -> {});
        try (HikariDataSource pool = database.pool()) {
            SchedulerClient client = SchedulerClient.Builder.create(pool, task).build();
            for (int from = 0; from < events; from += Peers.SEED_BATCH) {
                List<com.github.kagkarlsson.scheduler.task.TaskInstance<?>> batch = new ArrayList<>();
                for (int i = from; i < Math.min(events, from + Peers.SEED_BATCH); i++) {
                    batch.add(task.instance("seed-" + i, Payloads.of(i)));
                }
                client.scheduleBatch(batch, Instant.now());
            }
        }
        database.analyze(TABLE);
    }

    @Override
    public Engine start(BenchDatabase database, Runnable listener) {
        return new Running(database, listener);
    }

    private static final class Running implements Engine {
        private final BenchDatabase database;
        private final HikariDataSource pool;
        private final OneTimeTask<String> task;
        private final Scheduler scheduler;
        private final SchedulerClient client;
        private final TransactionTemplate transactions;

        private Running(BenchDatabase database, Runnable listener) {
            this.database = database;
            this.pool = database.pool();
            this.task = task(listener);
            SchedulerBuilder settings =
                    Scheduler.create(pool, task).threads(Peers.THREADS).pollingInterval(Duration.ofMillis(200));
            if (database.kind() != BenchServer.Kind.MARIADB) { // it has no lock-and-fetch there
                settings.pollUsingLockAndFetch(4.0, 20.0);
            }
            this.scheduler = settings.build();
            this.client = SchedulerClient.Builder.create(new TransactionAwareDataSourceProxy(pool), task)
                    .build();
            this.transactions = new TransactionTemplate(new DataSourceTransactionManager(pool));
            scheduler.start();
        }

        @Override
        public void write(int number) {
            transactions.executeWithoutResult(status -> client.scheduleIfNotExists(
                    task.instance(outbox.util.Ulid.next(), Payloads.of(number)), Instant.now()));
            scheduler.triggerCheckForDueExecutions();
        }

        @Override
        public long unsettled() throws SQLException {
            return database.askNumber("SELECT COUNT(*) FROM " + TABLE);
        }

        @Override
        public void close() {
            scheduler.stop();
            pool.close();
        }
    }
}
