package outbox.rabbitmq;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import outbox.testing.server.InstalledRabbitMq;

class RabbitPublisherOnQpidIT extends RabbitPublisherContract {
    private static AmqpBroker broker;

    @BeforeAll
    static void start() {
        broker = new QpidBroker();
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @Override
    AmqpBroker broker() {
        return broker;
    }

    /** Where RabbitMQ is there to stall for the whole time, this one need not. */
    @Override
    int pauseSeconds() {
        return InstalledRabbitMq.isInstalled() ? PAUSE_SECONDS / 2 : PAUSE_SECONDS;
    }
}
