package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.docs.Patience.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import outbox.Outbox;
import outbox.fleet.OutboxFleet;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.fleet.JdbcFleetNodes;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.micrometer.MicrometerMetricsExporter;
import outbox.registry.DefaultListenerRegistry;
import outbox.registry.ListenerRegistry;
import outbox.testing.server.EmbeddedH2;

class SeveralDataSourcesSnippets {
    private final DataSource orders = database();
    private final DataSource billing = database();
    private final List<String> delivered = new CopyOnWriteArrayList<>();
    private final MeterRegistry meters = new SimpleMeterRegistry();

    // snippet: one-each
    /** A database with all that belongs to it; none of the parts is shared with another. */
    record Shard(JdbcTransactionManager transactions, Outbox outbox) {
        static Shard of(String name, DataSource dataSource, ListenerRegistry listeners, MeterRegistry meters) {
            ThreadLocalTxContext txContext = new ThreadLocalTxContext();
            return new Shard(
                    new JdbcTransactionManager(new DataSourceConnectionProvider(dataSource), txContext),
                    JdbcOutbox.multiNode(dataSource)
                            .transactions(txContext)
                            .listeners(listeners)
                            .metrics(new MicrometerMetricsExporter(meters, name + ".outbox"))
                            .build()
                            .start());
        }
    }
    // end

    @Test
    void eachDeliversItsOwn() throws Exception {
        DefaultListenerRegistry orderListeners =
                new DefaultListenerRegistry().register("OrderPlaced", event -> delivered.add("orders"));
        DefaultListenerRegistry billingListeners =
                new DefaultListenerRegistry().register("InvoiceSent", event -> delivered.add("billing"));
        // snippet: route
        Map<String, Shard> shards = Map.of(
                "orders", Shard.of("orders", orders, orderListeners, meters),
                "billing", Shard.of("billing", billing, billingListeners, meters));

        Shard shard = shards.get("orders");
        try (JdbcTransactionManager.Transaction tx = shard.transactions().begin()) {
            shard.outbox().writer().write("OrderPlaced", "{\"order\":42}");
            tx.commit();
        }
        // end
        await().untilAsserted(() -> assertThat(delivered).containsExactly("orders"));
        assertThat(meters.get("orders.outbox.enqueue.hot").counter().count()).isEqualTo(1);
        assertThat(meters.get("billing.outbox.enqueue.hot").counter().count()).isZero();
        shards.values().forEach(each -> each.outbox().close());
    }

    @Test
    void aFleet() throws Exception {
        Map<String, DataSource> tenants = Map.of("acme", orders, "globex", billing);
        DefaultListenerRegistry listeners =
                new DefaultListenerRegistry().register("OrderPlaced", event -> delivered.add(event.payloadJson()));
        // snippet: fleet
        OutboxFleet fleet = OutboxFleet.builder().workers(16).databaseThreads(4).build();
        ThreadLocalTxContext txContext = new ThreadLocalTxContext(); // or one for each
        tenants.forEach((name, dataSource) -> fleet.add(
                name, JdbcOutbox.multiNode(dataSource).transactions(txContext).listeners(listeners)));
        // end
        JdbcTransactionManager transactions =
                new JdbcTransactionManager(new DataSourceConnectionProvider(tenants.get("acme")), txContext);
        // snippet: fleet-write
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) { // on the data source of the tenant
            fleet.get("acme").writer().write("OrderPlaced", "{\"order\":42}");
            tx.commit();
        }
        // end
        await().untilAsserted(() -> assertThat(delivered).hasSize(1));
        fleet.close();
    }

    @Test
    void aFleetOfSeveralNodes() throws Exception {
        DataSource coordination = billing;
        try (Connection connection = coordination.getConnection()) {
            OutboxSchema.of("fleet-node", "outbox_fleet_node").apply(connection);
        }
        // snippet: fleet-nodes
        OutboxFleet fleet = OutboxFleet.builder()
                .nodes(new JdbcFleetNodes(new DataSourceConnectionProvider(coordination)))
                .build();
        // end
        fleet.close();
    }

    private static DataSource database() {
        DataSource dataSource = EmbeddedH2.shared().freshDatabase().dataSource();
        try (Connection connection = dataSource.getConnection()) {
            OutboxSchema.of("h2", "outbox_event").apply(connection);
        } catch (java.sql.SQLException e) {
            throw new IllegalStateException(e);
        }
        return dataSource;
    }
}
