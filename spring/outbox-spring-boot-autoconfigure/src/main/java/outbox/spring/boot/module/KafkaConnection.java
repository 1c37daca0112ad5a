package outbox.spring.boot.module;

import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * How the application's own producers connect to Kafka.
 *
 * @param origin where that is configured, for messages
 * @param settings of Kafka's producer
 * @param problem why there is no broker, if there is none
 */
record KafkaConnection(String origin, Map<String, Object> settings, String problem) {
    KafkaConnection(String origin, Map<String, Object> settings) {
        this(origin, settings, "no broker is named");
    }

    /** Comma-separated; empty if no broker is named. */
    String bootstrapServers() {
        Object servers = settings.get(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG);
        if (servers instanceof Collection<?> several) {
            return several.stream().map(String::valueOf).collect(Collectors.joining(","));
        }
        return servers == null ? "" : servers.toString().strip();
    }
}
