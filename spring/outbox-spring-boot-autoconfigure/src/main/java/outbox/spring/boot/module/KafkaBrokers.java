package outbox.spring.boot.module;

import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.jspecify.annotations.Nullable;

/**
 * Brokers of Kafka.
 *
 * @param addresses comma-separated
 * @param settings of a producer for them
 * @param transactional whether that producer is meant for Kafka transactions
 */
record KafkaBrokers(String addresses, Map<String, Object> settings, boolean transactional) {
    /** @return {@code null} if the settings name no broker */
    static @Nullable KafkaBrokers of(Map<String, Object> settings, boolean transactional) {
        Object servers = settings.get(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG);
        String addresses = servers instanceof Collection<?> several
                ? several.stream().map(String::valueOf).collect(Collectors.joining(","))
                : servers == null ? "" : servers.toString().strip();
        return addresses.isEmpty()
                ? null
                : new KafkaBrokers(
                        addresses,
                        settings,
                        transactional || settings.containsKey(ProducerConfig.TRANSACTIONAL_ID_CONFIG));
    }
}
