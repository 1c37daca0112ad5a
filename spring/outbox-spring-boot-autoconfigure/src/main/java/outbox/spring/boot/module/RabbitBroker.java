package outbox.spring.boot.module;

import com.rabbitmq.client.AddressResolver;
import com.rabbitmq.client.ConnectionFactory;
import org.jspecify.annotations.Nullable;

/** @param addresses {@code null} for the one of the factory */
record RabbitBroker(ConnectionFactory factory, @Nullable AddressResolver addresses) {}
