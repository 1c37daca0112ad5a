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

    /** It has too little memory, or enough again. */
    void setMemoryAlarm(boolean on) {
        server.control("set_vm_memory_high_watermark", on ? "0" : "0.4");
    }

    @Override
    public void close() {
        server.close();
    }
}
