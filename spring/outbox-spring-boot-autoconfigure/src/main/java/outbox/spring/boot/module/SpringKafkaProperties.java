package outbox.spring.boot.module;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.SslConfigs;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.unit.DataSize;

/**
 * {@code spring.kafka.*} of an application that has no {@code spring-kafka}: what concerns a producer, as Spring Boot
 * itself would give it to the client. Read by name, because Spring Boot's own class needs {@code spring-kafka}.
 */
final class SpringKafkaProperties {
    private static final String PREFIX = "spring.kafka";

    private final Environment environment;
    private final ResourceLoader resources;
    private final ObjectProvider<SslBundles> bundles;

    SpringKafkaProperties(Environment environment, ResourceLoader resources, ObjectProvider<SslBundles> bundles) {
        this.environment = environment;
        this.resources = resources;
        this.bundles = bundles;
    }

    /** What stands both under {@code spring.kafka} and, for producers alone, under {@code spring.kafka.producer}. */
    record Client(
            @Nullable List<String> bootstrapServers,
            @Nullable String clientId,
            @Nullable DataSize batchSize,
            @Nullable DataSize bufferMemory,
            @Nullable String compressionType,
            @Nullable Integer retries,
            @Nullable Security security,
            @Nullable Ssl ssl,
            @Nullable Map<String, String> properties) {}

    record Security(@Nullable String protocol) {}

    record Ssl(
            @Nullable String bundle,
            @Nullable String keyPassword,
            @Nullable String keyStoreCertificateChain,
            @Nullable String keyStoreKey,
            @Nullable String keyStoreLocation,
            @Nullable String keyStorePassword,
            @Nullable String keyStoreType,
            @Nullable String trustStoreCertificates,
            @Nullable String trustStoreLocation,
            @Nullable String trustStorePassword,
            @Nullable String trustStoreType,
            @Nullable String protocol) {}

    /** @param details take precedence over properties, as everywhere in Spring Boot */
    ApplicationConnection<KafkaBrokers> connection(KafkaConnections.@Nullable Details details) {
        Map<String, Object> settings = new LinkedHashMap<>();
        addTo(settings, PREFIX);
        addTo(settings, PREFIX + ".producer");
        if (details == null) {
            return connection(PREFIX + ".bootstrap-servers", settings);
        }
        put(settings, ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, details.addresses());
        put(settings, CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, details.securityProtocol());
        if (details.sslBundle() != null) {
            settings.putAll(KafkaSslBundle.settings(details.sslBundle()));
        }
        return connection("the KafkaConnectionDetails bean", settings);
    }

    private ApplicationConnection<KafkaBrokers> connection(String origin, Map<String, Object> settings) {
        KafkaBrokers brokers =
                KafkaBrokers.of(settings, environment.containsProperty(PREFIX + ".producer.transaction-id-prefix"));
        return brokers == null
                ? ApplicationConnection.none(origin, "no broker is named")
                : ApplicationConnection.of(origin, brokers);
    }

    private void addTo(Map<String, Object> settings, String prefix) {
        Client client = Binder.get(environment).bind(prefix, Client.class).orElse(null);
        if (client == null) {
            return;
        }
        put(settings, ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, client.bootstrapServers());
        put(settings, ProducerConfig.CLIENT_ID_CONFIG, client.clientId());
        put(settings, ProducerConfig.BATCH_SIZE_CONFIG, bytes(client.batchSize()));
        put(settings, ProducerConfig.BUFFER_MEMORY_CONFIG, bytes(client.bufferMemory()));
        put(settings, ProducerConfig.COMPRESSION_TYPE_CONFIG, client.compressionType());
        put(settings, ProducerConfig.RETRIES_CONFIG, client.retries());
        if (client.security() != null) {
            put(
                    settings,
                    CommonClientConfigs.SECURITY_PROTOCOL_CONFIG,
                    client.security().protocol());
        }
        if (client.ssl() != null) {
            addSsl(settings, prefix + ".ssl", client.ssl());
        }
        if (client.properties() != null) {
            settings.putAll(client.properties());
        }
    }

    private void addSsl(Map<String, Object> settings, String prefix, Ssl ssl) {
        if (ssl.bundle() != null) {
            settings.putAll(KafkaSslBundle.settings(bundle(ssl.bundle())));
            return;
        }
        put(settings, SslConfigs.SSL_KEY_PASSWORD_CONFIG, ssl.keyPassword());
        put(settings, SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG, ssl.keyStoreCertificateChain());
        put(settings, SslConfigs.SSL_KEYSTORE_KEY_CONFIG, ssl.keyStoreKey());
        put(
                settings,
                SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG,
                file(prefix + ".key-store-location", ssl.keyStoreLocation()));
        put(settings, SslConfigs.SSL_KEYSTORE_PASSWORD_CONFIG, ssl.keyStorePassword());
        put(settings, SslConfigs.SSL_KEYSTORE_TYPE_CONFIG, ssl.keyStoreType());
        put(settings, SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG, ssl.trustStoreCertificates());
        put(
                settings,
                SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG,
                file(prefix + ".trust-store-location", ssl.trustStoreLocation()));
        put(settings, SslConfigs.SSL_TRUSTSTORE_PASSWORD_CONFIG, ssl.trustStorePassword());
        put(settings, SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG, ssl.trustStoreType());
        put(settings, SslConfigs.SSL_PROTOCOL_CONFIG, ssl.protocol());
    }

    private SslBundle bundle(String name) {
        return bundles.getObject().getBundle(name);
    }

    private @Nullable String file(String property, @Nullable String location) {
        if (location == null) {
            return null;
        }
        try {
            return resources.getResource(location).getFile().getAbsolutePath();
        } catch (IOException e) {
            throw new InvalidConfigurationPropertyValueException(
                    property, location, "Kafka's client reads files only: " + e.getMessage());
        }
    }

    private static @Nullable Integer bytes(@Nullable DataSize size) {
        return size == null ? null : Math.toIntExact(size.toBytes());
    }

    private static void put(Map<String, Object> settings, String name, @Nullable Object value) {
        if (value != null) {
            settings.put(name, value);
        }
    }
}
