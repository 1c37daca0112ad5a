package outbox.rabbitmq;

import com.rabbitmq.client.ConnectionFactory;
import outbox.testing.server.InstalledRabbitMq;

/** The RabbitMQ that is installed on this machine. */
final class RabbitMqBroker implements AmqpBroker {
    private final InstalledRabbitMq server = InstalledRabbitMq.launch();

    @Override
    public ConnectionFactory factory() {
        return AmqpBroker.factory(server.port());
    }

    @Override
    public void pause() {
        server.pause();
    }

    @Override
    public void resume() {
        server.resume();
    }

    @Override
    public void restart() {
        server.restart();
    }

    @Override
    public void close() {
        server.close();
    }
}
