package outbox.dashboards;

import com.sun.net.httpserver.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.cdc.CdcRelay;
import outbox.cdc.CdcSchema;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.micrometer.MicrometerMetricsExporter;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.EmbeddedServer;
import outbox.testing.server.ServerOptions;
import outbox.testing.server.TestDatabase;

/** A CDC relay on PostgreSQL whose receiver refuses everything, and its metrics. */
final class RelayNode implements AutoCloseable {
    private final EmbeddedServer server;
    private final DataSource dataSource;
    private final CdcRelay relay;
    private final HttpServer metrics;

    RelayNode() throws SQLException, IOException {
        server = EmbeddedPostgres.start(ServerOptions.defaults().with("wal_level", "logical"));
        TestDatabase database = server.freshDatabase();
        dataSource = database.dataSource();
        AbstractJdbcOutboxStore store = JdbcOutboxStores.detect(dataSource);
        try (Connection connection = dataSource.getConnection()) {
            store.schema().apply(connection);
            CdcSchema.of(store.name()).apply(connection);
        }
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        relay = CdcRelay.reading(database.jdbcUrl(), database.username(), database.password())
                .listeners((aggregateType, eventType) -> event -> {
                    throw new IllegalStateException("refused");
                })
                .retryPolicy(attempts -> 100)
                .watchInterval(Duration.ofMillis(500))
                .metrics(new MicrometerMetricsExporter(registry))
                .build()
                .start();
        metrics = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        metrics.createContext("/metrics", exchange -> {
            byte[] body = registry.scrape().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        metrics.start();
    }

    int port() {
        return metrics.getAddress().getPort();
    }

    /** One event that the relay cannot deliver, and 10 MB of log behind it, which the server keeps for that reason. */
    void fallBehind() throws SQLException {
        ThreadLocalTxContext context = new ThreadLocalTxContext();
        Outbox outbox =
                JdbcOutbox.writerOnly(dataSource).transactions(context).build().start();
        try (outbox;
                JdbcTransactionManager.Transaction transaction =
                        new JdbcTransactionManager(dataSource::getConnection, context).begin()) {
            outbox.writer()
                    .write(EventEnvelope.builder("Refused")
                            .aggregateType("Order")
                            .aggregateId("1")
                            .payloadJson("{}")
                            .build());
            transaction.commit();
        }
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE filler AS SELECT md5(n::text) FROM generate_series(1, 150000) n");
        }
    }

    @Override
    public void close() {
        metrics.stop(0);
        relay.close();
        server.close();
    }
}
