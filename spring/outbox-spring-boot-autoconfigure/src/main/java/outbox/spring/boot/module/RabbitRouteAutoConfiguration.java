package outbox.spring.boot.module;

import com.rabbitmq.client.ConnectionFactory;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import outbox.domain.handler.EventRoute;
import outbox.rabbitmq.RabbitPublisher;
import outbox.rabbitmq.RabbitPublisherBuilder;
import outbox.spring.boot.OutboxAutoConfiguration;
import outbox.spring.boot.properties.PropertyGroup;

/** Events to RabbitMQ, where {@code outbox-rabbitmq} is there and a broker is named. */
@AutoConfiguration(before = OutboxAutoConfiguration.class)
@ConditionalOnClass(RabbitPublisher.class)
@ConditionalOnProperty(prefix = "outbox.rabbitmq", name = "uri")
@EnableConfigurationProperties(RabbitRouteProperties.class)
public class RabbitRouteAutoConfiguration {
    private static final PropertyGroup PROPERTIES = new PropertyGroup("outbox.rabbitmq");

    @Bean
    @Lazy // only an outbox that delivers needs it
    @ConditionalOnMissingBean
    RabbitPublisher outboxRabbitPublisher(RabbitRouteProperties properties) {
        RabbitPublisherBuilder publisher = RabbitPublisher.builder(connectionFactory(properties));
        PROPERTIES
                .give("exchange", properties.getExchange(), publisher::exchange)
                .give("routing-key", properties.getRoutingKey(), publisher::routingKey)
                .give("confirm-timeout", properties.getConfirmTimeout(), publisher::confirmTimeout);
        return PROPERTIES.build(publisher::build);
    }

    private static ConnectionFactory connectionFactory(RabbitRouteProperties properties) {
        ConnectionFactory factory = new ConnectionFactory();
        try {
            factory.setUri(String.valueOf(properties.getUri()));
        } catch (URISyntaxException | GeneralSecurityException | IllegalArgumentException e) {
            // without the cause: it quotes the address, which may hold a password
            throw new IllegalArgumentException("outbox.rabbitmq.uri is no address of a RabbitMQ broker; for instance"
                    + " amqp://rabbit.example.com:5672/vhost");
        }
        if (properties.getUsername() != null) {
            factory.setUsername(properties.getUsername());
        }
        if (properties.getPassword() != null) {
            factory.setPassword(properties.getPassword());
        }
        return factory;
    }

    @Bean
    @Lazy
    EventRoute outboxRabbitRoute(RabbitPublisher publisher, RabbitRouteProperties properties) {
        return properties.route("rabbitmq", PROPERTIES, publisher.controlled());
    }
}
