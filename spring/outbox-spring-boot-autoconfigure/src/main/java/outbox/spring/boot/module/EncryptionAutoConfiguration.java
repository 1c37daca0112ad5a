package outbox.spring.boot.module;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import outbox.encryption.EventEncryption;
import outbox.encryption.KeyProvider;
import outbox.encryption.Keyring;
import outbox.spi.EventSeal;
import outbox.spring.boot.OutboxAutoConfiguration;
import outbox.spring.boot.properties.PropertyGroup;
import outbox.spring.boot.properties.RefusedSettingsException;

/**
 * Encrypts events in the table, if {@code outbox-encryption} is present. Without a key the application does not start:
 * it would store plaintext that was meant to be secret.
 */
@AutoConfiguration(before = OutboxAutoConfiguration.class)
@ConditionalOnClass(EventEncryption.class)
@ConditionalOnProperty(
        name = {"outbox.enabled", "outbox.encryption.enabled"},
        matchIfMissing = true)
@EnableConfigurationProperties(EncryptionProperties.class)
public class EncryptionAutoConfiguration {
    private static final PropertyGroup PROPERTIES = new PropertyGroup("outbox.encryption");

    @Bean
    @ConditionalOnMissingBean
    KeyProvider outboxKeyProvider(EncryptionProperties properties, ResourceLoader resources) {
        if (properties.getKeys().isEmpty()) {
            throw new RefusedSettingsException(
                    "outbox-encryption is on the class path, but there is no key",
                    "Set"
                            + " outbox.encryption.keys.<id> to 32 random bytes in Base64 (openssl rand -base64 32), define a"
                            + " KeyProvider bean, or set outbox.encryption.enabled=false.");
        }
        Keyring.Builder keys = Keyring.builder();
        if (properties.getCurrentKey() != null) {
            keys.current(properties.getCurrentKey());
        }
        return PROPERTIES.build(() -> {
            properties.getKeys().forEach((id, value) -> keys.key(id, read(id, value, resources)));
            return keys.build();
        });
    }

    private static String read(String id, String value, ResourceLoader resources) {
        if (!value.startsWith("file:")) {
            return value;
        }
        try {
            return resources.getResource(value).getContentAsString(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("the file of outbox.encryption.keys." + id + " cannot be read", e);
        }
    }

    @Bean
    @ConditionalOnMissingBean(EventSeal.class)
    EventEncryption outboxEncryption(EncryptionProperties properties, KeyProvider keys, Environment environment) {
        String application = properties.getApplication() == null
                ? environment.getProperty("spring.application.name", "")
                : properties.getApplication();
        if (application.isBlank()) {
            throw new RefusedSettingsException(
                    "encrypted rows are bound to the name of the application, which is not set",
                    "Set" + " spring.application.name or outbox.encryption.application, and never change it.");
        }
        EventEncryption.Builder encryption = EventEncryption.builder(application, keys)
                .secretHeaders(properties.getSecretHeaders().toArray(String[]::new));
        PROPERTIES
                .give(
                        "event-types",
                        properties.getEventTypes(),
                        types -> encryption.eventTypes(types.toArray(String[]::new)))
                .give("data-key-uses", properties.getDataKeyUses(), encryption::dataKeyUses)
                .give("data-key-age", properties.getDataKeyAge(), encryption::dataKeyAge);
        if (properties.isRefusePlain()) {
            encryption.refusePlain();
        }
        return encryption.build();
    }
}
