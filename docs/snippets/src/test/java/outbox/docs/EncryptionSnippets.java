package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Base64;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import outbox.Outbox;
import outbox.encryption.EventEncryption;
import outbox.encryption.Keyring;
import outbox.encryption.RewrapJob;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.testing.Outboxes;
import outbox.testing.RecordingListener;
import outbox.testing.server.EmbeddedH2;

class EncryptionSnippets {
    private final DataSource dataSource = EmbeddedH2.shared().freshDatabase().dataSource();
    private final ConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
    private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    private final RecordingListener listener = new RecordingListener();
    private final DefaultListenerRegistry registry = new DefaultListenerRegistry().register("payment.taken", listener);

    @Test
    void encrypt() throws SQLException {
        AbstractJdbcOutboxStore store = JdbcOutboxStores.detect(dataSource);
        try (Connection conn = dataSource.getConnection()) {
            store.schema().apply(conn);
        }
        String key2025 = Base64.getEncoder().encodeToString(new byte[32]);
        String key2026 = Base64.getEncoder().encodeToString("not a key but of the same length".getBytes());
        // snippet: build
        Keyring keys = Keyring.builder()
                .key("2025", key2025) // openssl rand -base64 32; from your secret store
                .key("2026", key2026)
                .current("2026")
                .build();

        EventEncryption encryption = EventEncryption.builder("shop", keys)
                .eventTypes("payment.*", "customer.*") // default: all types
                .secretHeaders("authorization")
                .build();

        Outbox outbox = JdbcOutbox.multiNode(dataSource)
                .transactions(txContext)
                .listeners(registry)
                .seal(encryption)
                .build()
                .start();
        // end
        try (outbox) {
            String id;
            try (JdbcTransactionManager.Transaction tx = new JdbcTransactionManager(connections, txContext).begin()) {
                id = outbox.writer().write("payment.taken", "{\"card\":\"x\"}");
                tx.commit();
            }
            Outboxes.awaitDone(dataSource, id);
        }
        // snippet: rewrap
        RewrapJob.Report report = new RewrapJob(encryption, store, connections).run();
        // end
        assertThat(listener.delivered().get(0).payloadJson()).isEqualTo("{\"card\":\"x\"}");
        assertThat(report).isEqualTo(new RewrapJob.Report(1, 0, java.util.List.of()));
    }
}
