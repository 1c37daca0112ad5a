package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.xxl.job.core.executor.XxlJobExecutor;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.Outbox;
import outbox.OutboxRelay;
import outbox.dead.FailedEvents;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.store.JdbcOutbox;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.server.EmbeddedH2;
import outbox.xxljob.OutboxJobs;

/** For the page on schedulers. */
class SchedulerSnippets {
    private final DataSource dataSource = EmbeddedH2.shared().freshDatabase().dataSource();
    private final DefaultListenerRegistry registry = new DefaultListenerRegistry().register("OrderPlaced", event -> {});
    private final List<String> pages = new CopyOnWriteArrayList<>();

    @BeforeEach
    void createTable() throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            OutboxSchema.of("h2", "outbox_event").apply(connection);
        }
    }

    private void page(String text) {
        pages.add(text);
    }

    @Test
    void onDemand() {
        // snippet: on-demand
        Outbox outbox = JdbcOutbox.multiNode(dataSource)
                .listeners(registry)
                .pollOnDemand() // nobody reads the table but those who call the relay
                .failedEventAlert(failed -> page(failed.dead() + " events are dead"))
                .build()
                .start();
        OutboxRelay relay = outbox.relay();
        // end
        try (outbox) {
            // snippet: relay
            OutboxRelay.Result batch = relay.relayOnce(100); // at most a hundred
            OutboxRelay.Result all = relay.recoverOnce(); // batch after batch, until nothing is due
            FailedEvents failed = relay.warnFailedOnce(); // calls the alert if there are any
            // end
            assertThat(batch.taken() + all.taken() + failed.dead()).isZero();
            assertThat(pages).isEmpty();
            // snippet: xxl-job
            OutboxJobs jobs = OutboxJobs.register(relay); // in the executor of this process
            // end
            assertThat(XxlJobExecutor.loadJobHandler(OutboxJobs.RECOVER)).isNotNull();
            jobs.close();
        }
    }
}
