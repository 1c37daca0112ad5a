package outbox.inbox.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import outbox.inbox.DurableInbox;
import outbox.testing.server.InstalledRabbitMq;

class RabbitInboxOnRabbitMqIT extends RabbitInboxContract {
    @BeforeAll
    static void installed() {
        boolean required = List.of(
                        System.getProperty("outbox.test.required", "").split(","))
                .contains(InstalledRabbitMq.PROGRAM);
        assumeTrue(
                required || InstalledRabbitMq.isInstalled(), "NOT RUN: needs RabbitMQ; " + InstalledRabbitMq.INSTALL);
        assertThat(InstalledRabbitMq.isInstalled())
                .as(InstalledRabbitMq.INSTALL)
                .isTrue();
    }

    @Override
    String uri() {
        return InstalledRabbitMq.shared();
    }

    /** Qpid does not tell a consumer that its queue is gone. */
    @Test
    void aConsumerThatIsCancelledComesBackWhenItsQueueDoes() throws Exception {
        DurableInbox inbox = started(inbox(ConcurrentHashMap.newKeySet()));
        publish(0, 10);
        consumer(inbox).start();
        awaitRows(1, 10);

        channel().queueDelete(queue());
        channel().queueDeclare(queue(), true, false, false, null);
        publish(10, 20);
        awaitRows(1, 20);
    }
}
