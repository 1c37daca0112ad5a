package outbox.rabbitmq;

import com.rabbitmq.client.AddressResolver;
import com.rabbitmq.client.ConnectionFactory;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.spi.NameTemplate;

/** Collects the settings of a {@link RabbitPublisher}; not thread-safe. */
public final class RabbitPublisherBuilder {
    public static final String DEFAULT_EXCHANGE = "outbox";
    public static final String DEFAULT_ROUTING_KEY = "{aggregateType}.{eventType}";
    /** Default time the broker has to confirm a message before the connection is aborted. */
    public static final Duration DEFAULT_CONFIRM_TIMEOUT = Duration.ofSeconds(30);

    private final ConnectionFactory factory;
    private @Nullable AddressResolver addresses;
    private NameTemplate exchange = new NameTemplate(DEFAULT_EXCHANGE);
    private NameTemplate routingKey = new NameTemplate(DEFAULT_ROUTING_KEY);
    private Duration confirmTimeout = DEFAULT_CONFIRM_TIMEOUT;

    RabbitPublisherBuilder(ConnectionFactory factory) {
        this.factory = Objects.requireNonNull(factory, "factory");
    }

    /** The nodes of a cluster, asked for at every connect; default is the one host of the factory. */
    public RabbitPublisherBuilder addresses(AddressResolver addresses) {
        this.addresses = Objects.requireNonNull(addresses, "addresses");
        return this;
    }

    /**
     * The exchange of an event; it must exist. Default {@value #DEFAULT_EXCHANGE}. Placeholders: {@code
     * {aggregateType}}, {@code {aggregateId}}, {@code {eventType}} and {@code {tenantId}}.
     */
    public RabbitPublisherBuilder exchange(String template) {
        this.exchange = new NameTemplate(template);
        return this;
    }

    /** The routing key of an event, with the same placeholders; default {@value #DEFAULT_ROUTING_KEY}. */
    public RabbitPublisherBuilder routingKey(String template) {
        this.routingKey = new NameTemplate(template);
        return this;
    }

    /** Time the broker has to confirm a message; default 30 s. */
    public RabbitPublisherBuilder confirmTimeout(Duration timeout) {
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("confirmTimeout must be positive: " + timeout);
        }
        this.confirmTimeout = timeout;
        return this;
    }

    /** The connection is opened for the first event. */
    public RabbitPublisher build() {
        return new RabbitPublisher(
                new MessageMaker(exchange, routingKey),
                new RabbitLink(factory, addresses, confirmTimeout),
                confirmTimeout);
    }
}
