package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
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
@Tag("any-boot")
class CdcNodesIT {
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";
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
                    "outbox.control-center.tokens.ci.secret=" + TOKEN,
                    "outbox.control-center.tokens.ci.role=operator",
                    "outbox.control-center.heartbeat=200ms")) {
                NodeReader nodes = new NodeReader(Application.of("outbox", context.getBean(DataSource.class)));
                List<String> mails = context.getBean(Mailer.class).mails;
                assertThat(nodes.nodes()).hasSize(1);
                publish(context, "1");
                await().atMost(PATIENCE).until(() -> mails.contains("1"));
                thePageDoesNotCallUndeliveredWhatIsDeliveredFromTheLog(context);

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

    private static void thePageDoesNotCallUndeliveredWhatIsDeliveredFromTheLog(ConfigurableApplicationContext context)
            throws Exception {
        JdbcTemplate table = new JdbcTemplate(context.getBean(DataSource.class));
        String id = table.queryForObject("SELECT event_id FROM outbox_event", String.class);
        assertThat(table.queryForObject("SELECT status FROM outbox_event", Integer.class))
                .as("a relay changes no row")
                .isZero();
        table.update("UPDATE outbox_event SET available_at = available_at - INTERVAL '1 day'");
        String app = "/api/v1/apps/outbox";
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(ControlCenterApps.send(context, "GET", app + "/overview", TOKEN)
                                .body())
                        .contains("\"deliveredFromLog\":true")
                        .contains("\"oldestSeconds\":0.0"));
        HttpResponse<String> retry = ControlCenterApps.send(context, "POST", app + "/events/" + id + "/retry", TOKEN);
        assertThat(retry.statusCode()).isEqualTo(409);
        assertThat(retry.body()).contains("it is delivered by CDC");
    }

    private static void awaitPaused(NodeReader nodes, boolean paused) {
        await().atMost(PATIENCE)
                .until(() -> nodes.handlers().stream()
                        .anyMatch(handler -> handler.name().equals("mailer") && handler.paused() == paused));
    }
}
