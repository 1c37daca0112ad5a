package outbox.spring.boot.module;

import com.rabbitmq.client.AddressResolver;
import com.rabbitmq.client.ConnectionFactory;
import org.jspecify.annotations.Nullable;

/**
 * How the application itself connects to RabbitMQ.
 *
 * @param origin where that is configured, for messages
 * @param factory {@code null} if there is none
 * @param addresses {@code null} for the one of the factory
 * @param problem why there is no factory, if there is none
 */
record RabbitConnection(
        String origin,
        @Nullable ConnectionFactory factory,
        @Nullable AddressResolver addresses,
        String problem) {
    static RabbitConnection of(String origin, ConnectionFactory factory, @Nullable AddressResolver addresses) {
        return new RabbitConnection(origin, factory, addresses, "");
    }

    static RabbitConnection none(String origin, String problem) {
        return new RabbitConnection(origin, null, null, problem);
    }
}
