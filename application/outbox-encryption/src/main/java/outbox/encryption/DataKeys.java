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
 * The keys payloads are encrypted with. One is in use for a limited number of events and time, so that the provider is
 * asked seldom; those of rows that were read are remembered, so that it is asked once for each. Thread-safe.
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

    /** A key in its two forms. */
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

    /** The key for the next text. */
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
     * @throws DecryptionException if the key cannot be had, now or later
     * @throws RetryAfterException if it cannot be had now
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
            throw new DecryptionException("key '" + keyId + "' unwrapped something else than a data key", e);
        } finally {
            Arrays.fill(bytes, (byte) 0);
        }
    }

    /** While the provider is away it is asked once a second, not once for every row. */
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
            failures.failed("the key provider does not answer; encrypted events wait in the table", e);
            throw away(keyId, e);
        }
    }

    private static RetryAfterException away(String keyId, RuntimeException cause) {
        return new RetryAfterException(
                PROVIDER_AWAY, "the key provider could not be asked for key '" + keyId + "': " + cause, cause);
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
