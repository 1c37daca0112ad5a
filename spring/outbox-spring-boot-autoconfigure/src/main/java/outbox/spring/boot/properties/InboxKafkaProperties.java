package outbox.spring.boot.properties;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Topics that a consumer group reads. */
public class InboxKafkaProperties {
    /** Topics to read. Without one, nothing is read from Kafka. */
    private List<String> topics = new ArrayList<>();

    /** Brokers of the inbox alone, comma-separated. Default: those of the application. */
    private @Nullable String bootstrapServers;

    /** Consumer group of Kafka. Default: the name of the group. */
    private @Nullable String groupId;

    /** How many consumers this application runs, each on a thread of its own. */
    private int consumers = 1;

    /** Partitions are paused while this many messages wait to be handled. */
    private int maxPending = 100_000;

    /** Settings of the Kafka consumer, such as max.poll.records. */
    private Map<String, String> properties = new LinkedHashMap<>();

    public List<String> getTopics() {
        return topics;
    }

    public void setTopics(List<String> topics) {
        this.topics = topics;
    }

    public @Nullable String getBootstrapServers() {
        return bootstrapServers;
    }

    public void setBootstrapServers(@Nullable String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
    }

    public @Nullable String getGroupId() {
        return groupId;
    }

    public void setGroupId(@Nullable String groupId) {
        this.groupId = groupId;
    }

    public int getConsumers() {
        return consumers;
    }

    public void setConsumers(int consumers) {
        this.consumers = consumers;
    }

    public int getMaxPending() {
        return maxPending;
    }

    public void setMaxPending(int maxPending) {
        this.maxPending = maxPending;
    }

    public Map<String, String> getProperties() {
        return properties;
    }

    public void setProperties(Map<String, String> properties) {
        this.properties = properties;
    }
}
