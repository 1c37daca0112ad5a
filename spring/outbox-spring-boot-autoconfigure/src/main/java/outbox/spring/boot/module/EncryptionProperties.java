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
    /** Whether events are encrypted. */
    private boolean enabled = true;

    /** Keys by id: 32 random bytes in Base64, or file:/path of a file with them. Not needed with a KeyProvider bean. */
    private Map<String, String> keys = new LinkedHashMap<>();

    /** Id of the key to write with. Needed only if there are several. */
    private @Nullable String currentKey;

    /** Name the rows are bound to, the same in all processes. Default: spring.application.name. */
    private @Nullable String application;

    /** Types of events whose payload is encrypted, * for any characters. Default: all. */
    private List<String> eventTypes = new ArrayList<>();

    /** Headers that are encrypted, of all types. */
    private List<String> secretHeaders = new ArrayList<>();

    /** Whether rows in clear are dead where there should be encrypted ones. */
    private boolean refusePlain;

    /** Events one data key encrypts at most. */
    private long dataKeyUses = EventEncryption.DEFAULT_DATA_KEY_USES;

    /** How long one data key is used at most. */
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
