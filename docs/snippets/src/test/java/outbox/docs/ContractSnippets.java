package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import outbox.Outbox;
import outbox.contracts.AsyncApi;
import outbox.contracts.BreakingChange;
import outbox.contracts.ContractCheck;
import outbox.contracts.ContractCompatibility;
import outbox.contracts.ContractViolationException;
import outbox.contracts.EventContracts;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.server.EmbeddedH2;

class ContractSnippets {
    private final DataSource dataSource = EmbeddedH2.shared().freshDatabase().dataSource();
    private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    private final DefaultListenerRegistry registry = new DefaultListenerRegistry();

    @Test
    void check() throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            OutboxSchema.of("h2", "outbox_event").apply(conn);
        }
        // snippet: check
        EventContracts contracts = EventContracts.fromClasspath("contracts");
        Outbox outbox = JdbcOutbox.multiNode(dataSource)
                .transactions(txContext)
                .listeners(registry)
                .writerHook(ContractCheck.rejecting(contracts)) // or warning(contracts)
                .build()
                .start();
        // end
        try (outbox;
                JdbcTransactionManager.Transaction tx =
                        new JdbcTransactionManager(new DataSourceConnectionProvider(dataSource), txContext).begin()) {
            assertThatThrownBy(() -> outbox.writer().write("order.placed", "{}"))
                    .isInstanceOf(ContractViolationException.class);
            tx.rollback();
        }
    }

    @Test
    void compatible() {
        // snippet: compatible
        List<BreakingChange> changes = ContractCompatibility.betweenVersions(EventContracts.fromClasspath("contracts"));
        assertThat(changes).allMatch(BreakingChange::isAccepted);
        // end
    }

    @Test
    void asyncApi() {
        EventContracts contracts = EventContracts.fromClasspath("contracts");
        // snippet: asyncapi
        String document = new AsyncApi("Orders", "1.4.0")
                .address(eventType -> "outbox.event.Order") // the topic, exchange or URL; default: the event type
                .export(contracts);
        // end
        assertThat(document).contains("outbox.event.Order");
    }
}
