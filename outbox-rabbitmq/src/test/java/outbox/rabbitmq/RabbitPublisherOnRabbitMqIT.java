package outbox.rabbitmq;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import outbox.testing.server.InstalledRabbitMq;

/** Not run where RabbitMQ is not installed, unless {@code -Doutbox.test.required=rabbitmq-server} asks for it. */
class RabbitPublisherOnRabbitMqIT extends RabbitPublisherContract {
    private static AmqpBroker broker;

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
}
