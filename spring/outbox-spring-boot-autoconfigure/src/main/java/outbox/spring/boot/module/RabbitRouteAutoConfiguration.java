package outbox.spring.boot.module;

import com.rabbitmq.client.ConnectionFactory;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import outbox.domain.handler.EventRoute;
import outbox.domain.handler.HandlerOptions;
import outbox.rabbitmq.RabbitPublisher;
import outbox.rabbitmq.RabbitPublisherBuilder;
import outbox.spring.boot.OutboxAutoConfiguration;
import outbox.spring.boot.properties.PropertyGroup;
import outbox.spring.boot.properties.RefusedSettingsException;

/** Events to RabbitMQ, where {@code outbox-rabbitmq} is there and it has settings. */
@AutoConfiguration(
        before = OutboxAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.autoconfigure.amqp.RabbitAutoConfiguration",
            "org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration"
        })
@ConditionalOnClass(RabbitPublisher.class)
@Conditional(RabbitRouteAutoConfiguration.IsAskedFor.class)
@EnableConfigurationProperties(RabbitRouteProperties.class)
public class RabbitRouteAutoConfiguration {
    private static final PropertyGroup PROPERTIES = new PropertyGroup("outbox.rabbitmq");

    @Bean
    @Lazy // only needed by a delivering outbox
    @ConditionalOnMissingBean
    RabbitPublisher outboxRabbitPublisher(
            RabbitRouteProperties properties,
            ConfigurableListableBeanFactory beans,
            Environment environment,
            ObjectProvider<SslBundles> bundles) {
        ApplicationConnection<RabbitBroker> connection =
                RabbitConnections.of(beans, new SpringRabbitProperties(environment, bundles));
        RabbitBroker broker = connection.orOwn(
                brokerAt(properties.getUri()),
                "outbox.rabbitmq.uri",
                chosen -> "events go to RabbitMQ",
                problem -> SettingsThatLeadNowhere.incomplete(
                        environment,
                        "outbox.rabbitmq",
                        problem + ", so no event would go to RabbitMQ",
                        "Set spring.rabbitmq.host (or .addresses), or outbox.rabbitmq.uri for a broker of the outbox alone,"
                                + " for instance amqp://rabbit.example.com:5672/vhost, or remove the outbox.rabbitmq.*"
                                + " properties."));
        ConnectionFactory factory = broker.factory().clone();
        logIn(factory, properties);
        RabbitPublisherBuilder publisher = RabbitPublisher.builder(factory);
        if (broker.addresses() != null) {
            publisher.addresses(broker.addresses());
        }
        PROPERTIES
                .give("exchange", properties.getExchange(), publisher::exchange)
                .give("routing-key", properties.getRoutingKey(), publisher::routingKey)
                .give("confirm-timeout", properties.getConfirmTimeout(), publisher::confirmTimeout);
        return PROPERTIES.build(publisher::build);
    }

    private static void logIn(ConnectionFactory factory, RabbitRouteProperties properties) {
        if (properties.getUsername() != null) {
            factory.setUsername(properties.getUsername());
        }
        if (properties.getPassword() != null) {
            factory.setPassword(properties.getPassword());
        }
    }

    private static @Nullable RabbitBroker brokerAt(@Nullable String uri) {
        if (uri == null || uri.isBlank()) {
            return null;
        }
        ConnectionFactory factory = new ConnectionFactory();
        try {
            factory.setUri(uri);
        } catch (URISyntaxException | GeneralSecurityException | IllegalArgumentException e) {
            // without the cause: it quotes the address, which may hold a password
            throw new RefusedSettingsException(
                    "outbox.rabbitmq.uri is no address of a RabbitMQ broker",
                    "An example is" + " amqp://rabbit.example.com:5672/vhost");
        }
        if (factory.isSSL()) {
            RabbitTls.use(factory, null, true);
        }
        return new RabbitBroker(factory, null);
    }

    @Bean
    @Lazy
    EventRoute outboxRabbitRoute(RabbitPublisher publisher, RabbitRouteProperties properties) {
        return properties
                .route("rabbitmq", PROPERTIES, publisher.controlled())
                .options(HandlerOptions::defaultCircuitBreaker); // outbox.handlers.breaker.*
    }

    static final class IsAskedFor extends RouteIsAskedFor {
        IsAskedFor() {
            super("outbox.rabbitmq");
        }
    }
}
