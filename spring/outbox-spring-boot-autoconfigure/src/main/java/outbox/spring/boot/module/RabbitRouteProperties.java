package outbox.spring.boot.module;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import outbox.rabbitmq.RabbitPublisherBuilder;

/** Events to RabbitMQ. */
@ConfigurationProperties("outbox.rabbitmq")
public class RabbitRouteProperties extends RouteProperties {
    /** Where the broker is, amqp://host:5672/vhost for instance, amqps for TLS. If set, events go to RabbitMQ. */
    private @Nullable String uri;

    /** User, unless it is part of the address. */
    private @Nullable String username;

    /** Password, unless it is part of the address. */
    private @Nullable String password;

    /** Exchange of an event, which must exist; with {aggregateType}, {aggregateId}, {eventType} or {tenantId}. */
    private String exchange = RabbitPublisherBuilder.DEFAULT_EXCHANGE;

    /** Routing key of an event, with the same places. */
    private String routingKey = RabbitPublisherBuilder.DEFAULT_ROUTING_KEY;

    /** How long the broker may take to confirm a message. */
    private Duration confirmTimeout = RabbitPublisherBuilder.DEFAULT_CONFIRM_TIMEOUT;

    public @Nullable String getUri() {
        return uri;
    }

    public void setUri(@Nullable String uri) {
        this.uri = uri;
    }

    public @Nullable String getUsername() {
        return username;
    }

    public void setUsername(@Nullable String username) {
        this.username = username;
    }

    public @Nullable String getPassword() {
        return password;
    }

    public void setPassword(@Nullable String password) {
        this.password = password;
    }

    public String getExchange() {
        return exchange;
    }

    public void setExchange(String exchange) {
        this.exchange = exchange;
    }

    public String getRoutingKey() {
        return routingKey;
    }

    public void setRoutingKey(String routingKey) {
        this.routingKey = routingKey;
    }

    public Duration getConfirmTimeout() {
        return confirmTimeout;
    }

    public void setConfirmTimeout(Duration confirmTimeout) {
        this.confirmTimeout = confirmTimeout;
    }
}
