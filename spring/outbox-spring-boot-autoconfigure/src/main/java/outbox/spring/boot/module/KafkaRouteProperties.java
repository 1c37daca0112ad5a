package outbox.spring.boot.module;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import outbox.kafka.KafkaFormat;
import outbox.kafka.KafkaPublisher;

/** Events to Kafka. */
@ConfigurationProperties("outbox.kafka")
public class KafkaRouteProperties extends RouteProperties {
    /** Addresses of the brokers, as in Kafka's own configuration. Default: spring.kafka.bootstrap-servers. */
    private @Nullable String bootstrapServers;

    /** Topic of an event, with {aggregateType}, {aggregateId}, {eventType} or {tenantId}. */
    private String topic = KafkaPublisher.DEFAULT_TOPIC;

    /** How an event looks as a record. */
    private KafkaFormat format = KafkaFormat.DEBEZIUM;

    /** Where events come from, in CloudEvents. */
    private @Nullable URI cloudEventsSource;

    /** Settings of Kafka's producer: security, compression and others. */
    private Map<String, String> producer = new LinkedHashMap<>();

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
