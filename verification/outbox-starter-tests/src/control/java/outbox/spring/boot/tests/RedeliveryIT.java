package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.EventEnvelope;
import outbox.Redelivery;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventHandler;
import outbox.spring.boot.tests.ControlCenterApps.LoginForm;
import outbox.spring.boot.tests.ControlCenterApps.OrderPlaced;
import outbox.spring.boot.tests.ControlCenterApps.Plain;

/** An operator has delivered events delivered again, to one of two handlers of a running application. */
@Timeout(600)
class RedeliveryIT {
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    static class Handlers {
        final List<String> mails = new CopyOnWriteArrayList<>();
        final List<String> crm = new CopyOnWriteArrayList<>();

        @EventHandler(name = "mail")
        void mail(OrderPlaced event) {
            mails.add(event.orderId());
        }

        @EventHandler(name = "crm")
        void crm(OrderPlaced event, EventEnvelope envelope) {
            crm.add(event.orderId() + " of " + envelope.headers().get(Redelivery.OF));
        }
    }

    @Test
    void onlyTheChosenHandlerGetsDeliveredEventsAgain() throws Exception {
        try (ConfigurableApplicationContext context = ControlCenterApps.start(
                List.of(Plain.class, LoginForm.class, Handlers.class),
                "outbox.control-center.tokens.ci.secret=" + TOKEN,
                "outbox.control-center.tokens.ci.role=operator",
                "outbox.control-center.heartbeat=200ms")) {
            JdbcTemplate table = new JdbcTemplate(context.getBean(DataSource.class));
            Handlers handlers = context.getBean(Handlers.class);
            String id = publish(context, "1");
            await().atMost(PATIENCE).until(() -> delivered(table) == 1);
            assertThat(handlers.mails).containsExactly("1");
            assertThat(handlers.crm).containsExactly("1 of null");

            String request = "{\"action\":\"redeliver\",\"handler\":\"crm\",\"filter\":{\"from\":\"PT1H\"},"
                    + "\"reason\":\"the CRM lost an hour\"}";
            await().atMost(PATIENCE) // until the first heartbeat
                    .untilAsserted(() -> assertThat(post(context, "/operations/dry-run", request))
                            .contains("\"count\":1"));
            assertThat(post(context, "/operations", request)).contains("\"handler\":\"crm\"");

            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(handlers.crm).containsExactly("1 of null", "1 of " + id));
            await().atMost(PATIENCE).until(() -> delivered(table) == 2);
            assertThat(handlers.mails).containsExactly("1");
        }
    }

    private static String publish(ConfigurableApplicationContext context, String order) {
        String id = UUID.randomUUID().toString();
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                .executeWithoutResult(tx ->
                        context.getBean(DomainEventPublisher.class).publish(new OrderPlaced(id, Instant.now(), order)));
        return id;
    }

    private static int delivered(JdbcTemplate table) {
        Integer count = table.queryForObject("SELECT COUNT(*) FROM outbox_event WHERE status = 1", Integer.class);
        return count == null ? 0 : count;
    }

    private static String post(ConfigurableApplicationContext context, String path, String body) throws Exception {
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(
                                        URI.create(ControlCenterApps.server(context) + "/api/v1/apps/outbox" + path))
                                .POST(HttpRequest.BodyPublishers.ofString(body))
                                .header("X-Outbox-Request", "test")
                                .header("Authorization", "Bearer " + TOKEN)
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        return answer.body();
    }
}
