package outbox.rabbitmq;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import outbox.testing.server.InstalledRabbitMq;

/** Not run where RabbitMQ is not installed, unless {@code -Doutbox.test.required=rabbitmq-server} asks for it. */
class RabbitPublisherOnRabbitMqIT extends RabbitPublisherContract {
    private static RabbitMqBroker broker;

    @BeforeAll
    static void start() {
        boolean required = List.of(
                        System.getProperty("outbox.test.required", "").split(","))
                .contains(InstalledRabbitMq.PROGRAM);
        Assumptions.assumeTrue(
                required || InstalledRabbitMq.isInstalled(), "NOT RUN: needs RabbitMQ; " + InstalledRabbitMq.INSTALL);
        if (!InstalledRabbitMq.isInstalled()) {
            throw new IllegalStateException(
                    "RabbitMQ is required here and not installed: " + InstalledRabbitMq.INSTALL);
        }
        broker = new RabbitMqBroker();
    }

    @AfterAll
    static void stop() {
        if (broker != null) {
            broker.close();
        }
    }

    @Override
    AmqpBroker broker() {
        return broker;
    }

    @Test
    void aBrokerThatTakesNoMessagesIsQuotedAndGetsThemLater() throws Exception {
        try (RabbitPublisher publisher =
                builder().confirmTimeout(Duration.ofSeconds(1)).build()) {
            broker.setMemoryAlarm(true);
            try {
                // On a busy machine the broker may say so too late for the first one.
                await().atMost(Duration.ofSeconds(60))
                        .untilAsserted(() -> assertThatThrownBy(
                                        () -> sent(publisher, event("Order").build()))
                                .hasMessageContaining("blocks publishing: low on memory"));
            } finally {
                broker.setMemoryAlarm(false);
            }
            await().atMost(Duration.ofSeconds(30))
                    .ignoreExceptions()
                    .untilAsserted(() -> sent(publisher, event("Order").build()));
        }
    }

    /** What a missing permission looks like, too. */
    @Test
    void anExchangeThatTakesNothingFromUsHarmsOnlyItsOwnEvents() throws Exception {
        channel.exchangeDeclare("internal", "topic", true, false, true, Map.of());
        refusedAlone("internal", "ACCESS_REFUSED");
    }
}
