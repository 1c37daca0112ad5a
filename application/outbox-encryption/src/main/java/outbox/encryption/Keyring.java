package outbox.encryption;

import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import javax.crypto.AEADBadTagException;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;

/**
 * Keys in memory, from a secret store or the environment: the current key encrypts, older ones only decrypt. Immutable
 * and thread-safe.
 *
 * <pre>{@code
 * Keyring keys = Keyring.builder()
 *     .key("2025", System.getenv("OUTBOX_KEY_2025"))
 *     .key("2026", System.getenv("OUTBOX_KEY_2026"))
 *     .current("2026")
 *     .build();
 * }</pre>
 */
public final class Keyring implements KeyProvider {
    private final Map<String, SecretKey> keys;
    private final String current;

    private Keyring(Map<String, SecretKey> keys, String current) {
        this.keys = keys;
        this.current = current;
    }

    public static Builder builder() {
        return new Builder();
    }

    @Override
    public String currentKeyId() {
        return current;
    }

    @Override
    public byte[] wrap(String keyId, byte[] dataKey) {
        return AesGcm.encrypt(key(keyId), bound(keyId), dataKey);
    }

    @Override
    public byte[] unwrap(String keyId, byte[] wrapped) {
        try {
            return AesGcm.decrypt(key(keyId), bound(keyId), wrapped);
        } catch (AEADBadTagException e) {
            throw new DecryptionException(
                    "the data key was not wrapped with this key '" + keyId + "', or was changed since", e);
        }
    }

    private SecretKey key(String id) {
        SecretKey key = keys.get(id);
        if (key == null) {
            throw new DecryptionException("there is no key '" + id + "'; known are " + keys.keySet()
                    + ": add the key to the keyring, then replay the event");
        }
        return key;
    }

    private static byte[] bound(String keyId) {
        return AssociatedData.of("outbox data key", keyId);
    }

    /** Contains the ids of the keys, never the keys. */
    @Override
    public String toString() {
        return "Keyring[" + keys.keySet() + ", current " + current + "]";
    }

    /** Collects keys; not thread-safe. */
    public static final class Builder {
        private final Map<String, SecretKey> keys = new LinkedHashMap<>();
        private @Nullable String current;

        private Builder() {}

        /** @param secret 32 random bytes */
        public Builder key(String id, byte[] secret) {
            KeyId.checked(id);
            SecretKey key;
            try {
                key = AesGcm.key(secret.clone());
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("key '" + id + "': " + e.getMessage(), e);
            }
            if (keys.putIfAbsent(id, key) != null) {
                throw new IllegalArgumentException("key '" + id + "' is defined twice");
            }
            return this;
        }

        /** @param base64 32 random bytes in Base64, as {@code openssl rand -base64 32} prints them */
        public Builder key(String id, @Nullable String base64) {
            if (base64 == null || base64.isBlank()) {
                throw new IllegalArgumentException("key '" + id + "' has no value: is its variable set?");
            }
            byte[] secret;
            try {
                secret = Base64.getDecoder().decode(base64.strip());
            } catch (IllegalArgumentException e) {
                // without the cause: it contains the secret
                throw new IllegalArgumentException(
                        "key '" + id + "' is not Base64; generate one with: openssl rand -base64 32");
            }
            return key(id, secret);
        }

        /** The key that encrypts; optional if there is only one. */
        public Builder current(String id) {
            this.current = Objects.requireNonNull(id, "id");
            return this;
        }

        public Keyring build() {
            if (keys.isEmpty()) {
                throw new IllegalArgumentException("a keyring needs at least one key(...)");
            }
            String writing = current;
            if (writing == null) {
                if (keys.size() > 1) {
                    throw new IllegalArgumentException("current(...) is not set; choose one of " + keys.keySet());
                }
                writing = keys.keySet().iterator().next();
            }
            if (!keys.containsKey(writing)) {
                throw new IllegalArgumentException("the current key '" + writing + "' is not among " + keys.keySet());
            }
            return new Keyring(new LinkedHashMap<>(keys), writing);
        }
    }
}
