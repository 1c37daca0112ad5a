package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.inTransaction;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventHandler;
import outbox.spring.boot.observation.OutboxHandleContext;
import outbox.spring.boot.observation.OutboxHandleConvention;
import outbox.spring.boot.observation.OutboxPublishContext;
import outbox.spring.boot.tests.Apps.OrderPlaced;

/** What observations are called: by the starter, by OpenTelemetry's conventions, by a bean of the application. */
class ObservationConventionTest {
    static class Failing {
        @EventHandler(name = "failing", deadOn = IllegalArgumentException.class)
        void on(OrderPlaced event) {
            throw new IllegalArgumentException("refused");
        }
    }

    record Seen(String name, String span, Map<String, String> low, Map<String, String> high) {}

    /** What a handler for meters or spans gets. */
    static class Recorder implements ObservationHandler<Observation.Context> {
        final List<Seen> published = new CopyOnWriteArrayList<>();
        final List<Seen> handled = new CopyOnWriteArrayList<>();

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }

        @Override
        public void onStop(Observation.Context context) {
            Seen seen = new Seen(
                    String.valueOf(context.getName()),
                    String.valueOf(context.getContextualName()),
                    map(context.getLowCardinalityKeyValues()),
                    map(context.getHighCardinalityKeyValues()));
            if (context instanceof OutboxPublishContext) {
                published.add(seen);
            } else if (context instanceof OutboxHandleContext) {
                handled.add(seen);
            }
        }

        private static Map<String, String> map(KeyValues values) {
            return values.stream().collect(Collectors.toMap(KeyValue::getKey, KeyValue::getValue));
        }
    }

    private static ApplicationContextRunner observed() {
        return app(Failing.class, Recorder.class);
    }

    private static Recorder publish(ApplicationContext context, OrderPlaced event) {
        inTransaction(context, () -> context.getBean(DomainEventPublisher.class).publish(event));
        Recorder recorder = context.getBean(Recorder.class);
        await().until(() -> !recorder.handled.isEmpty());
        return recorder;
    }

    @Test
    void withoutASettingTheNamesAreThoseOfTheOutbox() {
        observed().run(context -> {
            Recorder seen = publish(context, new OrderPlaced("1"));
            assertThat(seen.published)
                    .containsExactly(new Seen(
                            "outbox.publish", "outbox publish", Map.of("outbox.event.type", "order.placed"), Map.of()));
            assertThat(seen.handled)
                    .containsExactly(new Seen(
                            "outbox.handle",
                            "outbox handle",
                            Map.of("outbox.event.type", "order.placed", "outbox.handler", "failing"),
                            Map.of()));
        });
    }

    @Test
    void theNamesOfOpenTelemetryAreAnOption() {
        observed().withPropertyValues("outbox.tracing.convention=opentelemetry").run(context -> {
            OrderPlaced event = new OrderPlaced("1");
            Recorder seen = publish(context, event);
            assertThat(seen.published)
                    .containsExactly(new Seen(
                            "messaging.client.operation.duration",
                            "publish order.placed",
                            Map.of(
                                    "messaging.system", "outbox",
                                    "messaging.operation.name", "publish",
                                    "messaging.operation.type", "send",
                                    "messaging.destination.name", "order.placed"),
                            Map.of("messaging.message.id", event.eventId())));
            assertThat(seen.handled)
                    .containsExactly(new Seen(
                            "messaging.process.duration",
                            "handle order.placed",
                            Map.of(
                                    "messaging.system", "outbox",
                                    "messaging.operation.name", "handle",
                                    "messaging.operation.type", "process",
                                    "messaging.destination.name", "order.placed",
                                    "messaging.consumer.group.name", "failing"),
                            Map.of(
                                    "messaging.message.id", event.eventId(),
                                    "error.type", IllegalArgumentException.class.getName())));
        });
    }

    @Test
    void aConventionOfTheApplicationWins() {
        observed()
                .withBean(OutboxHandleConvention.class, () -> () -> "shop.handle")
                .withPropertyValues("outbox.tracing.convention=opentelemetry")
                .run(context -> {
                    Recorder seen = publish(context, new OrderPlaced("1"));
                    assertThat(seen.handled).extracting(Seen::name).containsExactly("shop.handle");
                    assertThat(seen.published)
                            .extracting(Seen::name)
                            .containsExactly("messaging.client.operation.duration");
                });
    }
}
