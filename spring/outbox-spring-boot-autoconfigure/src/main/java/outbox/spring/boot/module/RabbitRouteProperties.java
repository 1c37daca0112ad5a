package outbox.spring.boot.module;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import outbox.listener.RetryPreset;
import outbox.rabbitmq.RabbitPublisherBuilder;

/** Sending events to RabbitMQ. */
@ConfigurationProperties("outbox.rabbitmq")
public class RabbitRouteProperties extends RouteProperties {
    /** Whether to send events to RabbitMQ. Default: true if there is any other property outbox.rabbitmq.*. */
    private @Nullable Boolean enabled;

    /**
     * URI of the broker, for example amqp://host:5672/vhost, or amqps for TLS, if the outbox has another than the
     * application. Default: the application's ConnectionFactory, RabbitConnectionDetails or spring.rabbitmq.*.
     */
    private @Nullable String uri;

    /** User name. Default: that of the URI or of the application. */
    private @Nullable String username;

    /** Password. Default: that of the URI or of the application. */
    private @Nullable String password;

    /**
     * Exchange of an event, which must exist. Placeholders: {aggregateType}, {aggregateId}, {eventType}, {tenantId}.
     */
    private String exchange = RabbitPublisherBuilder.DEFAULT_EXCHANGE;

    /** Routing key of an event. Placeholders: {aggregateType}, {aggregateId}, {eventType}, {tenantId}. */
    private String routingKey = RabbitPublisherBuilder.DEFAULT_ROUTING_KEY;

    /** How long to wait for the broker to confirm a message. */
    private Duration confirmTimeout = RabbitPublisherBuilder.DEFAULT_CONFIRM_TIMEOUT;

    public RabbitRouteProperties() {
        super(RetryPreset.RELAY);
    }

    public @Nullable Boolean getEnabled() {
        return enabled;
    }

    public void setEnabled(@Nullable Boolean enabled) {
        this.enabled = enabled;
    }

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
