package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.inTransaction;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.EventEnvelope;
import outbox.OutboxWriter;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventHandler;
import outbox.registry.DefaultListenerRegistry;
import outbox.registry.ListenerRegistry;
import outbox.spring.boot.tests.Apps.OrderPlaced;

/** Request id, operator and tenant travel from the writer to the handler without code. */
class MdcHeadersTest {
    private static final List<Map<String, String>> SEEN = new CopyOnWriteArrayList<>();

    private static void look() {
        Map<String, String> context = MDC.getCopyOfContextMap();
        SEEN.add(context == null ? Map.of() : context);
    }

    static class Looking {
        @EventHandler(name = "looking")
        void on(OrderPlaced event, EventEnvelope envelope) {
            look();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PlainListener {
        @Bean
        ListenerRegistry plain() {
            return new DefaultListenerRegistry().register("plain.event", event -> look());
        }
    }

    @AfterEach
    void clear() {
        MDC.clear();
        SEEN.clear();
    }

    private static ApplicationContextRunner shop() {
        return app(Looking.class)
                .withUserConfiguration(PlainListener.class)
                .withPropertyValues("outbox.headers.from-mdc=requestId,operator,tenantId", "outbox.dispatch.workers=1");
    }

    @Test
    void handlersAndPlainListenersSeeTheLoggingContextOfTheWriterAndLeaveNothingBehind() {
        shop().run(context -> {
            MDC.put("requestId", "r-1");
            MDC.put("tenantId", "acme");
            MDC.put("password", "not listed");
            inTransaction(
                    context, () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced("1")));
            await().until(() -> SEEN.size() == 1);
            inTransaction(context, () -> context.getBean(OutboxWriter.class).write("plain.event", "{}"));
            await().until(() -> SEEN.size() == 2);
            assertThat(SEEN)
                    .allSatisfy(seen -> assertThat(seen)
                            .containsEntry("requestId", "r-1")
                            .containsEntry("tenantId", "acme")
                            .doesNotContainKeys("password", "operator"));
            assertThat(context.getBean(JdbcTemplate.class)
                            .queryForList("SELECT tenant_id FROM outbox_event", String.class))
                    .containsExactly("acme", "acme");

            MDC.clear();
            inTransaction(context, () -> context.getBean(OutboxWriter.class).write("plain.event", "{}"));
            await().until(() -> SEEN.size() == 3);
            assertThat(SEEN.get(2)).doesNotContainKeys("requestId", "tenantId");
        });
    }

    @Test
    void headersOfTheCallerTakePrecedence() {
        shop().run(context -> {
            MDC.put("requestId", "of the log");
            inTransaction(
                    context,
                    () -> context.getBean(OutboxWriter.class)
                            .write(EventEnvelope.builder("plain.event")
                                    .header("requestId", "of the caller")
                                    .payloadJson("{}")
                                    .build()));
            await().until(() -> SEEN.size() == 1);
            assertThat(SEEN.get(0)).containsEntry("requestId", "of the caller");
        });
    }

    @Test
    void withoutTheSettingNothingTravels() {
        app(Looking.class).run(context -> {
            MDC.put("requestId", "r-1");
            inTransaction(
                    context, () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced("1")));
            await().until(() -> SEEN.size() == 1);
            assertThat(SEEN.get(0)).doesNotContainKey("requestId");
        });
    }
}
