package outbox.spring.boot.module;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import outbox.encryption.EventEncryption;

/** Encryption of events in the table. */
@ConfigurationProperties("outbox.encryption")
public class EncryptionProperties {
    /** Whether to encrypt events in the table. */
    private boolean enabled = true;

    /**
     * Keys by id: 32 random bytes in Base64, or file:/path of a file that contains them. Not used with a KeyProvider
     * bean.
     */
    private Map<String, String> keys = new LinkedHashMap<>();

    /** Id of the key that new events are encrypted with. Required with several keys. */
    private @Nullable String currentKey;

    /** Name that encrypted rows are bound to. Must be the same in all processes. Default: spring.application.name. */
    private @Nullable String application;

    /** Event types whose payload is encrypted, with * as a wildcard. Default: all. */
    private List<String> eventTypes = new ArrayList<>();

    /** Names of headers to encrypt, for all event types. */
    private List<String> secretHeaders = new ArrayList<>();

    /** Whether to dead-letter events that should be encrypted and are not. */
    private boolean refusePlain;

    /** Maximum number of events that one data key encrypts. */
    private long dataKeyUses = EventEncryption.DEFAULT_DATA_KEY_USES;

    /** Maximum time that one data key is used. */
    private Duration dataKeyAge = EventEncryption.DEFAULT_DATA_KEY_AGE;

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public Map<String, String> getKeys() {
        return keys;
    }

    public void setKeys(Map<String, String> keys) {
        this.keys = keys;
    }

    public @Nullable String getCurrentKey() {
        return currentKey;
    }

    public void setCurrentKey(@Nullable String currentKey) {
        this.currentKey = currentKey;
    }

    public @Nullable String getApplication() {
        return application;
    }

    public void setApplication(@Nullable String application) {
        this.application = application;
    }

    public List<String> getEventTypes() {
        return eventTypes;
    }

    public void setEventTypes(List<String> eventTypes) {
        this.eventTypes = eventTypes;
    }

    public List<String> getSecretHeaders() {
        return secretHeaders;
    }

    public void setSecretHeaders(List<String> secretHeaders) {
        this.secretHeaders = secretHeaders;
    }

    public boolean isRefusePlain() {
        return refusePlain;
    }

    public void setRefusePlain(boolean refusePlain) {
        this.refusePlain = refusePlain;
    }

    public long getDataKeyUses() {
        return dataKeyUses;
    }

    public void setDataKeyUses(long dataKeyUses) {
        this.dataKeyUses = dataKeyUses;
    }

    public Duration getDataKeyAge() {
        return dataKeyAge;
    }

    public void setDataKeyAge(Duration dataKeyAge) {
        this.dataKeyAge = dataKeyAge;
    }
}
