package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.cdc.CdcRelay;
import outbox.control.source.Application;
import outbox.control.source.NodeReader;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventHandler;
import outbox.spring.boot.tests.ControlCenterApps.LoginForm;
import outbox.spring.boot.tests.ControlCenterApps.OrderPlaced;
import outbox.spring.boot.tests.ControlCenterApps.Plain;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.EmbeddedServer;
import outbox.testing.server.ServerOptions;
import outbox.testing.server.TestDatabase;

/** An application whose handlers get their events from the database's log is a node like any other. */
class CdcNodesIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    static class Mailer {
        final List<String> mails = new CopyOnWriteArrayList<>();

        @EventHandler(name = "mailer")
        void on(OrderPlaced event) {
            if (event.orderId().equals("bad")) {
                throw new IllegalStateException("smtp down");
            }
            mails.add(event.orderId());
        }
    }

    private static void publish(ConfigurableApplicationContext context, String order) {
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                .executeWithoutResult(tx -> context.getBean(DomainEventPublisher.class)
                        .publish(new OrderPlaced(UUID.randomUUID().toString(), Instant.now(), order)));
    }

    @Test
    void aRelaySendsHeartbeatsRecordsAttemptsAndItsHandlersCanBePaused() throws Exception {
        try (EmbeddedServer server =
                EmbeddedPostgres.start(ServerOptions.defaults().with("wal_level", "logical"))) {
            TestDatabase database = server.freshDatabase();
            try (ConfigurableApplicationContext context = ControlCenterApps.start(
                    List.of(Plain.class, LoginForm.class, Mailer.class),
                    "spring.datasource.url=" + database.jdbcUrl(),
                    "spring.datasource.username=" + database.username(),
                    "spring.datasource.password=" + database.password(),
                    "outbox.schema.mode=always",
                    "outbox.mode=writer-only",
                    "outbox.cdc.enabled=true",
                    "outbox.control-center.heartbeat=200ms")) {
                NodeReader nodes = new NodeReader(Application.of("outbox", context.getBean(DataSource.class)));
                List<String> mails = context.getBean(Mailer.class).mails;
                assertThat(nodes.nodes()).hasSize(1);
                publish(context, "1");
                await().atMost(PATIENCE).until(() -> mails.contains("1"));

                nodes.setPaused("mailer", true, "the mail server is away", "anna");
                awaitPaused(nodes, true);
                publish(context, "2");
                nodes.setPaused("mailer", false, "it is back", "anna");
                awaitPaused(nodes, false);
                await().atMost(PATIENCE).until(() -> mails.contains("2"));

                publish(context, "bad");
                JdbcTemplate table = new JdbcTemplate(context.getBean(DataSource.class));
                await().atMost(PATIENCE)
                        .until(() -> table.queryForObject("SELECT COUNT(*) FROM outbox_attempt", Integer.class) > 0);
                CdcRelay relay = context.getBean(CdcRelay.class);
                relay.close();
                relay.forget();
            }
        }
    }

    private static void awaitPaused(NodeReader nodes, boolean paused) {
        await().atMost(PATIENCE)
                .until(() -> nodes.handlers().stream()
                        .anyMatch(handler -> handler.name().equals("mailer") && handler.paused() == paused));
    }
}
