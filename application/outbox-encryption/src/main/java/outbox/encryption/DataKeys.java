package outbox.encryption;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;
import outbox.RetryAfterException;
import outbox.util.FailureLog;

/**
 * The data keys that encrypt payloads. A key is used for a limited number of events and a limited time, so that the
 * provider is rarely called; keys of rows that were read are cached. Thread-safe.
 */
final class DataKeys {
    private static final Logger LOG = System.getLogger(DataKeys.class.getName());
    private static final int REMEMBERED = 1000;
    private static final Duration PROVIDER_AWAY = Duration.ofSeconds(10);
    private static final long ASK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final KeyProvider provider;
    private final long maxUses;
    private final long maxAgeNanos;
    private final LongSupplier nanos;
    private final FailureLog failures;
    private final Map<String, SecretKey> unwrapped = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, SecretKey> eldest) {
            return size() > REMEMBERED;
        }
    }; // guarded by itself
    private volatile @Nullable Current current; // written under this
    private volatile @Nullable Absence absence;

    /** A key, wrapped and in plaintext. */
    record DataKey(String keyId, String wrapped, SecretKey key) {}

    private record Current(DataKey key, AtomicLong uses, long since) {}

    private record Absence(long since, RuntimeException cause) {}

    DataKeys(KeyProvider provider, long maxUses, Duration maxAge, LongSupplier nanos) {
        this.provider = provider;
        this.maxUses = maxUses;
        this.maxAgeNanos = maxAge.toNanos();
        this.nanos = nanos;
        this.failures = new FailureLog(LOG, Level.ERROR, "the key provider", nanos);
    }

    /** The key for the next encryption. */
    DataKey next() {
        String keyId = provider.currentKeyId();
        Current known = current;
        if (isUsable(known, keyId)) {
            return Objects.requireNonNull(known).key();
        }
        synchronized (this) {
            known = current;
            if (isUsable(known, keyId)) {
                return Objects.requireNonNull(known).key();
            }
            DataKey made = make(keyId);
            current = new Current(made, new AtomicLong(1), nanos.getAsLong());
            return made;
        }
    }

    private boolean isUsable(@Nullable Current known, String keyId) {
        return known != null
                && known.key().keyId().equals(keyId)
                && nanos.getAsLong() - known.since() < maxAgeNanos
                && known.uses().incrementAndGet() <= maxUses;
    }

    private DataKey make(String keyId) {
        KeyId.checked(keyId);
        byte[] bytes = AesGcm.newKey();
        String wrapped = SealedText.base64(provider.wrap(keyId, bytes.clone()));
        DataKey made = new DataKey(keyId, wrapped, AesGcm.key(bytes));
        remember(cacheKey(keyId, wrapped), made.key());
        return made;
    }

    /**
     * @throws DecryptionException if the key is permanently unavailable
     * @throws RetryAfterException if it is unavailable at the moment
     */
    SecretKey unwrap(String keyId, String wrapped) {
        String cacheKey = cacheKey(keyId, wrapped);
        synchronized (unwrapped) {
            SecretKey known = unwrapped.get(cacheKey);
            if (known != null) {
                return known;
            }
        }
        byte[] bytes = ask(keyId, wrapped);
        try {
            SecretKey key = AesGcm.key(bytes);
            remember(cacheKey, key);
            return key;
        } catch (IllegalArgumentException e) {
            throw new DecryptionException("key '" + keyId + "' did not unwrap to a data key", e);
        } finally {
            Arrays.fill(bytes, (byte) 0);
        }
    }

    /** While the provider is unavailable it is called once a second, not once per row. */
    private byte[] ask(String keyId, String wrapped) {
        Absence known = absence;
        if (known != null && nanos.getAsLong() - known.since() < ASK_AGAIN_NANOS) {
            throw away(keyId, known.cause());
        }
        try {
            byte[] bytes = provider.unwrap(keyId, SealedText.bytes(wrapped)).clone();
            absence = null;
            failures.succeeded();
            return bytes;
        } catch (DecryptionException e) {
            throw e;
        } catch (RuntimeException e) {
            absence = new Absence(nanos.getAsLong(), e);
            failures.failed("the key provider is unavailable; encrypted events wait in the table", e);
            throw away(keyId, e);
        }
    }

    private static RetryAfterException away(String keyId, RuntimeException cause) {
        return new RetryAfterException(
                PROVIDER_AWAY, "the key provider failed for key '" + keyId + "': " + cause, cause);
    }

    private void remember(String cacheKey, SecretKey key) {
        synchronized (unwrapped) {
            unwrapped.put(cacheKey, key);
        }
    }

    private static String cacheKey(String keyId, String wrapped) {
        return keyId + "." + wrapped;
    }
}
