package outbox.rabbitmq;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

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
}
