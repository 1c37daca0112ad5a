package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.inTransaction;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventHandler;
import outbox.spring.boot.tests.Apps.OrderPlaced;
import outbox.testing.server.EmbeddedRedis;

/** T3: progress of handlers in Redis, by two properties. */
class RedisTrackingTest {
    static class Two {
        final List<String> calls = new CopyOnWriteArrayList<>();

        @EventHandler(name = "first")
        void first(OrderPlaced event) {
            calls.add("first");
        }

        @EventHandler(name = "second", maxAttempts = 2, retry = "quick")
        void second(OrderPlaced event) {
            calls.add("second");
            if (calls.indexOf("second") == calls.lastIndexOf("second")) {
                throw new IllegalStateException("once more");
            }
        }
    }

    @Test
    void theHandlerThatSucceededIsNotCalledAgain() {
        app(Two.class)
                .withPropertyValues("outbox.handlers.tracking=redis", "outbox.redis.uri=" + EmbeddedRedis.shared())
                .run(context -> {
                    inTransaction(
                            context,
                            () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced("1")));
                    JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
                    await().until(() -> Integer.valueOf(1)
                            .equals(jdbc.queryForObject(
                                    "SELECT COUNT(*) FROM outbox_event WHERE status = 1", Integer.class)));
                    assertThat(context.getBean(Two.class).calls).containsOnlyOnce("first");
                    assertThat(context.getBean(Two.class).calls).hasSize(3);
                    assertThat(jdbc.queryForObject("SELECT COUNT(*) FROM outbox_consumption", Integer.class))
                            .isZero();
                });
    }

    @Test
    void withoutAnAddressTheStartFails() {
        app(Two.class)
                .withPropertyValues("outbox.handlers.tracking=redis")
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("there is no Redis for outbox.handlers.tracking=redis")
                        .hasMessageContaining("Set spring.data.redis.host"));
    }
}
