package outbox.inbox.rabbitmq;

import outbox.testing.server.EmbeddedQpid;

/** On a broker that speaks the same protocol. It is not RabbitMQ. */
class RabbitInboxOnQpidIT extends RabbitInboxContract {
    @Override
    String uri() {
        return EmbeddedQpid.shared();
    }
}
