package outbox.spring.boot.module;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Where the brokers are: {@code outbox.kafka.bootstrap-servers}, or what an application with {@code spring-kafka} has
 * anyway. Properties by name only, because their classes moved between Spring Boot 3 and 4.
 */
final class KafkaSettings {
    private static final String OWN = "outbox.kafka.bootstrap-servers";

    /** What Spring turns into settings of the client, and the outbox does not. */
    private static final List<String> NOT_TAKEN_OVER = List.of(
            "spring.kafka.ssl", "spring.kafka.security", "spring.kafka.producer.ssl", "spring.kafka.producer.security");

    private KafkaSettings() {}

    static @Nullable String bootstrapServers(Environment environment) {
        for (String name : List.of(OWN, "spring.kafka.producer.bootstrap-servers", "spring.kafka.bootstrap-servers")) {
            List<String> servers = Binder.get(environment)
                    .bind(name, Bindable.listOf(String.class))
                    .orElseGet(List::of);
            if (!servers.isEmpty()) {
                return String.join(",", servers);
            }
        }
        return null;
    }

    /** Settings of the client beside brokers that are Spring's, as they are written. */
    static Map<String, String> properties(Environment environment) {
        Map<String, String> properties = new LinkedHashMap<>();
        if (environment.getProperty(OWN) == null) {
            for (String prefix : List.of("spring.kafka.properties", "spring.kafka.producer.properties")) {
                properties.putAll(Binder.get(environment)
                        .bind(prefix, Bindable.mapOf(String.class, String.class))
                        .orElseGet(Map::of));
            }
        }
        return properties;
    }

    /** Brokers without the credentials that go with them would fail at every event. */
    static void refuseHalfOfSprings(Environment environment) {
        boolean asked = Binder.get(environment)
                .bind("outbox.kafka", Bindable.mapOf(String.class, Object.class))
                .isBound();
        if (!asked || environment.getProperty(OWN) != null) {
            return;
        }
        for (String prefix : NOT_TAKEN_OVER) {
            if (Binder.get(environment)
                    .bind(prefix, Bindable.mapOf(String.class, Object.class))
                    .isBound()) {
                throw new IncompleteSettingsException(
                        "the brokers of outbox.kafka come from spring.kafka.bootstrap-servers, but the outbox does not"
                                + " read " + prefix + ".*",
                        "Set outbox.kafka.bootstrap-servers, and the security settings of the Kafka client as"
                                + " outbox.kafka.producer.*, for instance outbox.kafka.producer.[security.protocol].");
            }
        }
    }
}
