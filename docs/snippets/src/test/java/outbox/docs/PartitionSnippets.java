package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.docs.Patience.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import outbox.Outbox;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.archive.EventArchive;
import outbox.jdbc.store.H2OutboxStore;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.store.PostgresOutboxStore;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.TestDatabase;

/** For the pages on partitions, purge and CDC. Outboxes on partitions are built here, and run by tests of outbox-jdbc. */
class PartitionSnippets {
    private final TestDatabase database = EmbeddedH2.shared().freshDatabase();
    private final DataSource dataSource = database.dataSource();
    private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    private final JdbcTransactionManager transactions =
            new JdbcTransactionManager(new DataSourceConnectionProvider(dataSource), txContext);
    private final DefaultListenerRegistry registry = new DefaultListenerRegistry().register("OrderPlaced", event -> {});

    @TempDir
    Path directory;

    @BeforeEach
    void createTable() throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            new H2OutboxStore().schema().apply(connection);
        }
    }

    @AfterEach
    void drop() {
        database.drop();
    }

    @Test
    void partitions() {
        // snippet: partitions
        PostgresOutboxStore store = new PostgresOutboxStore(); // the same on MySqlOutboxStore and MariaDbOutboxStore
        Outbox outbox = JdbcOutbox.multiNode(dataSource, store)
                .transactions(txContext)
                .listeners(registry)
                .partitions(store.dailyPartitions().archive(EventArchive.inFiles(directory)))
                .retention(Duration.ofDays(7))
                .build();
        // end
        outbox.close();
    }

    @Test
    void archive() throws Exception {
        // snippet: archive
        H2OutboxStore store = new H2OutboxStore(); // or that of your database
        Outbox outbox = JdbcOutbox.multiNode(dataSource, store)
                .transactions(txContext)
                .listeners(registry)
                .purger(store.archivingPurger(EventArchive.inFiles(directory)))
                .retention(Duration.ZERO)
                .build()
                .start();
        // end
        write(outbox);
        await().untilAsserted(() -> {
            outbox.purgeOnce();
            try (Stream<Path> files = Files.list(directory)) {
                assertThat(files).isNotEmpty();
            }
        });
        outbox.close();
    }

    @Test
    void ttl() throws Exception {
        // snippet: ttl
        H2OutboxStore store = new H2OutboxStore(); // or that of your database
        Outbox outbox = JdbcOutbox.writerOnly(dataSource, store)
                .transactions(txContext)
                .purger(store.agePurger())
                .retention(Duration.ofDays(2))
                .build()
                .start();
        // end
        write(outbox);
        outbox.purgeOnce();
        outbox.close();

        // snippet: ttl-partitions
        PostgresOutboxStore partitioned = new PostgresOutboxStore();
        Outbox days = JdbcOutbox.writerOnly(dataSource, partitioned)
                .transactions(txContext)
                .partitions(partitioned.dailyPartitions().byAgeAlone())
                .retention(Duration.ofDays(2))
                .build();
        // end
        days.close();
    }

    private void write(Outbox outbox) throws Exception {
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            outbox.writer().write("OrderPlaced", "{}");
            tx.commit();
        }
    }
}
