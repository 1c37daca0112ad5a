package outbox.rabbitmq;

import com.rabbitmq.client.ConnectionFactory;
import outbox.testing.server.EmbeddedQpid;

/**
 * Apache Qpid inside this JVM, with a proxy in front of it that does the harm, since it could not be stopped without its
 * clients. It is not RabbitMQ.
 */
final class QpidBroker implements AmqpBroker {
    private final EmbeddedQpid qpid = EmbeddedQpid.launch();
    private final StallingProxy proxy = new StallingProxy(qpid.port());

    @Override
    public ConnectionFactory factory() {
        return AmqpBroker.factory(proxy.port());
    }

    @Override
    public void pause() {
        proxy.stall(true);
    }

    @Override
    public void resume() {
        proxy.stall(false);
    }

    @Override
    public void restart() {
        proxy.shut();
        Pause.seconds(2);
        proxy.open();
    }

    @Override
    public void close() {
        proxy.close();
        qpid.close();
    }
}
