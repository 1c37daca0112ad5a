package outbox.rabbitmq;

import com.rabbitmq.client.ConnectionFactory;

/** A broker that tests can do harm to. */
interface AmqpBroker extends AutoCloseable {
    /** How to reach it. */
    ConnectionFactory factory();

    /** It stops reading and writing; connections stay open. */
    void pause();

    void resume();

    /** All connections end, nobody can connect for a while, then it is there again with what it had confirmed. */
    void restart();

    @Override
    void close();

    /** For a broker that listens on this machine. */
    static ConnectionFactory factory(int port) {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(port);
        return factory;
    }
}
