package outbox.spring.boot.module;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import outbox.kafka.KafkaFormat;
import outbox.kafka.KafkaPublisher;
import outbox.listener.RetryPreset;

/** Sending events to Kafka. */
@ConfigurationProperties("outbox.kafka")
public class KafkaRouteProperties extends RouteProperties {
    /** Whether to send events to Kafka. Default: true if there is any other property outbox.kafka.*. */
    private @Nullable Boolean enabled;

    /**
     * Comma-separated addresses of the brokers, if the outbox has others than the application. Default: the brokers and all
     * settings of the application's ProducerFactory, KafkaConnectionDetails or spring.kafka.*.
     */
    private @Nullable String bootstrapServers;

    /** Topic of an event. Placeholders: {aggregateType}, {aggregateId}, {eventType}, {tenantId}. */
    private String topic = KafkaPublisher.DEFAULT_TOPIC;

    /** Format of the Kafka records. */
    private KafkaFormat format = KafkaFormat.DEBEZIUM;

    /** Source of the events, for the CloudEvents format. Default: urn:outbox: and the aggregate type. */
    private @Nullable URI cloudEventsSource;

    /**
     * Whether to put the id of the schema in front of each payload, as consumers with a schema registry expect it. Events need
     * the header schemaId.
     */
    private boolean schemaFraming;

    /** Additional settings of the Kafka producer, for example [security.protocol]. */
    private Map<String, String> producer = new LinkedHashMap<>();

    public KafkaRouteProperties() {
        super(RetryPreset.RELAY);
    }

    public @Nullable Boolean getEnabled() {
        return enabled;
    }

    public void setEnabled(@Nullable Boolean enabled) {
        this.enabled = enabled;
    }

    public @Nullable String getBootstrapServers() {
        return bootstrapServers;
    }

    public void setBootstrapServers(@Nullable String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
    }

    public String getTopic() {
        return topic;
    }

    public void setTopic(String topic) {
        this.topic = topic;
    }

    public KafkaFormat getFormat() {
        return format;
    }

    public void setFormat(KafkaFormat format) {
        this.format = format;
    }

    public boolean isSchemaFraming() {
        return schemaFraming;
    }

    public void setSchemaFraming(boolean schemaFraming) {
        this.schemaFraming = schemaFraming;
    }

    public @Nullable URI getCloudEventsSource() {
        return cloudEventsSource;
    }

    public void setCloudEventsSource(@Nullable URI cloudEventsSource) {
        this.cloudEventsSource = cloudEventsSource;
    }

    public Map<String, String> getProducer() {
        return producer;
    }

    public void setProducer(Map<String, String> producer) {
        this.producer = producer;
    }
}
