package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.PayloadSource;
import outbox.encryption.EventEncryption;
import outbox.encryption.Keyring;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.archive.EventArchive;
import outbox.jdbc.payload.ClaimCheck;
import outbox.jdbc.payload.FileObjectStore;
import outbox.jdbc.payload.PayloadSweep;
import outbox.jdbc.payload.PayloadTable;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.testing.Outboxes;
import outbox.testing.server.EmbeddedH2;

class LargePayloadSnippets {
    private final DataSource dataSource = EmbeddedH2.shared().freshDatabase().dataSource();
    private final ConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
    private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    private final AbstractJdbcOutboxStore store = JdbcOutboxStores.detect(dataSource);

    @TempDir
    Path directory;

    @Test
    void checkIn() throws SQLException, IOException {
        Path video = Files.write(directory.resolve("video"), new byte[2_000_000]);
        try (Connection conn = dataSource.getConnection()) {
            store.schema().apply(conn);
            PayloadTable.of(store).schema().apply(conn);
        }
        AtomicLong read = new AtomicLong();
        DefaultListenerRegistry registry = new DefaultListenerRegistry();
        // snippet: build
        ClaimCheck claimCheck =
                ClaimCheck.builder(store, connections).transactions(txContext).build();
        Outbox outbox = JdbcOutbox.multiNode(dataSource, store)
                .transactions(txContext)
                .listeners(registry)
                .seal(claimCheck)
                .build()
                .start();
        PayloadSweep sweep = PayloadSweep.of(claimCheck).start();
        // end
        // snippet: read
        registry.register("VideoUploaded", event -> {
            try (InputStream in = event.payloadStream()) {
                read.addAndGet(in.transferTo(java.io.OutputStream.nullOutputStream()));
            }
        });
        // end
        try (outbox;
                sweep;
                JdbcTransactionManager.Transaction tx = new JdbcTransactionManager(connections, txContext).begin()) {
            // snippet: write
            String id = outbox.writer()
                    .write(EventEnvelope.builder("VideoUploaded")
                            .payloadSource(PayloadSource.ofFile(video))
                            .build());
            // end
            tx.commit();
            Outboxes.awaitDone(dataSource, id);
        }
        assertThat(read).hasValue(2_000_000);
    }

    @Test
    void variants() throws IOException {
        Path files = Files.createDirectory(directory.resolve("payloads"));
        Path archiveDirectory = Files.createDirectory(directory.resolve("archive"));
        EventEncryption encryption = EventEncryption.builder(
                        "shop", Keyring.builder().key("2026", new byte[32]).build())
                .build();
        // snippet: files
        ClaimCheck claimCheck = ClaimCheck.builder(store, connections)
                .transactions(txContext)
                .objects(new FileObjectStore(files)) // or your own ObjectStore
                .over(encryption)
                .build();
        // end
        // snippet: archive
        EventArchive archive = claimCheck.archive(EventArchive.inFiles(archiveDirectory), archiveDirectory);
        JdbcOutbox.multiNode(dataSource, store).purger(store.archivingPurger(archive));
        // end
        assertThat(archive.toString()).contains("payloads in");
    }
}
