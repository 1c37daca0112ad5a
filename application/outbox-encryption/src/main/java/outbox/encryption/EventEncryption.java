package outbox.encryption;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import javax.crypto.AEADBadTagException;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.EventEnvelope.PayloadForm;
import outbox.encryption.DataKeys.DataKey;
import outbox.spi.EventSeal;
import outbox.util.EventTypePattern;

/**
 * Encrypts payloads and secret headers with AES-256-GCM before they are stored, and decrypts them when they are read.
 * Listeners receive the original event. Every process that writes or delivers needs the same configuration.
 * Thread-safe.
 *
 * <pre>{@code
 * EventEncryption encryption = EventEncryption.builder("shop", keys)
 *     .eventTypes("payment.*", "customer.*")
 *     .secretHeaders("authorization")
 *     .build();
 * Outbox outbox = JdbcOutbox.multiNode(dataSource).seal(encryption) …
 * }</pre>
 *
 * <p>A ciphertext is bound to the application, the event's id and type, the field (payload, or header by name) and the
 * key id: moved to another row, column or application it cannot be decrypted, and the event becomes a dead letter.
 * Everything else in a row is stored in plaintext: id, type, aggregate, tenant, times and headers that are not listed.
 */
public final class EventEncryption implements EventSeal {
    /** Default maximum number of events per data key. */
    public static final long DEFAULT_DATA_KEY_USES = 1_000_000;
    /** Default maximum age of a data key. */
    public static final Duration DEFAULT_DATA_KEY_AGE = Duration.ofHours(1);

    private static final String PAYLOAD = "payload";
    private static final String HEADER = "header:";
    private static final byte TEXT = 'T';
    private static final byte BYTES = 'B';

    private final String application;
    private final KeyProvider keys;
    private final DataKeys dataKeys;
    private final List<EventTypePattern> eventTypes;
    private final Set<String> secretHeaders;
    private final boolean refusePlain;

    private EventEncryption(Builder builder) {
        this.application = builder.application;
        this.keys = builder.keys;
        this.dataKeys = new DataKeys(keys, builder.dataKeyUses, builder.dataKeyAge, System::nanoTime);
        this.eventTypes = builder.eventTypes;
        this.secretHeaders = builder.secretHeaders;
        this.refusePlain = builder.refusePlain;
    }

    /** @param application must be the same in all processes on a table; rows of another application cannot be read */
    public static Builder builder(String application, KeyProvider keys) {
        return new Builder(application, keys);
    }

    /**
     * @throws IllegalArgumentException if the payload is too large when encrypted, or looks like an encrypted one
     * @throws RuntimeException if the key provider fails; plaintext is never written instead
     */
    @Override
    public EventEnvelope seal(EventEnvelope event) {
        EventEnvelope.Builder sealed = null;
        if (isSecret(event.eventType())) {
            sealed = event.toBuilder()
                    .payloadBytes(null)
                    .payloadJson(withinLimit(
                            encrypted(event, PAYLOAD, plainPayload(event)).asPayload(), event));
        } else if (SealedText.isPayload(jsonOf(event))) {
            throw new IllegalArgumentException("payload of event " + event.eventType() + " " + event.eventId()
                    + " uses the JSON key that is reserved for encrypted payloads: use another key");
        }
        Map<String, @Nullable String> headers = sealedHeaders(event);
        if (headers != null) {
            sealed = (sealed == null ? event.toBuilder() : sealed).headers(headers);
        }
        return sealed == null ? event : sealed.build();
    }

    private @Nullable Map<String, @Nullable String> sealedHeaders(EventEnvelope event) {
        Map<String, @Nullable String> sealed = null;
        for (Map.Entry<String, @Nullable String> header : event.headers().entrySet()) {
            String value = header.getValue();
            if (SealedText.isHeader(value)) {
                throw new IllegalArgumentException("header " + header.getKey() + " of event " + event.eventType() + " "
                        + event.eventId() + " has a value that is reserved for encrypted headers");
            }
            if (value != null && secretHeaders.contains(header.getKey())) {
                sealed = sealed == null ? new LinkedHashMap<>(event.headers()) : sealed;
                sealed.put(
                        header.getKey(),
                        encrypted(event, HEADER + header.getKey(), marked(TEXT, utf8(value)))
                                .asHeader());
            }
        }
        return sealed;
    }

    private SealedText encrypted(EventEnvelope event, String place, byte[] plain) {
        DataKey key = dataKeys.next();
        byte[] data = AesGcm.encrypt(key.key(), bound(event, place, key.keyId()), plain);
        return SealedText.of(key, data);
    }

    private static byte[] plainPayload(EventEnvelope event) {
        return marked(event.payloadForm() == PayloadForm.BYTES ? BYTES : TEXT, event.payloadBytes());
    }

    /** Binary payloads are never treated as encrypted text. */
    private static @Nullable String jsonOf(EventEnvelope event) {
        return event.payloadForm() == PayloadForm.JSON ? event.payloadJson() : null;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] marked(byte mark, byte[] content) {
        byte[] marked = new byte[content.length + 1];
        marked[0] = mark;
        System.arraycopy(content, 0, marked, 1, content.length);
        return marked;
    }

    private static String withinLimit(String payload, EventEnvelope event) {
        if (payload.length() > EventEnvelope.MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException(
                    "payload of event " + event.eventType() + " has " + payload.length()
                            + " bytes when encrypted, the limit is " + EventEnvelope.MAX_PAYLOAD_BYTES
                            + ", which allows about three quarters of it as plaintext: store the data elsewhere and send a reference");
        }
        return payload;
    }

    /**
     * @throws DecryptionException if the row was changed or moved, or its key is unknown or wrong
     * @throws outbox.RetryAfterException if the key provider is unavailable
     */
    @Override
    public EventEnvelope open(EventEnvelope stored) {
        if (refusePlain) {
            refusePlain(stored);
        }
        return opened(stored);
    }

    private void refusePlain(EventEnvelope stored) {
        if (isSecret(stored.eventType()) && !SealedText.isPayload(jsonOf(stored))) {
            throw new DecryptionException("event " + stored.eventId() + " of type " + stored.eventType()
                    + " is not encrypted, and plaintext rows are rejected");
        }
        stored.headers().forEach((name, value) -> {
            if (value != null && secretHeaders.contains(name) && !SealedText.isHeader(value)) {
                throw new DecryptionException("header " + name + " of event " + stored.eventId()
                        + " is not encrypted, and plaintext rows are rejected");
            }
        });
    }

    /** Like {@link #open}, including plaintext rows. */
    EventEnvelope opened(EventEnvelope stored) {
        EventEnvelope.Builder opened = null;
        SealedText payload = SealedText.ofPayload(jsonOf(stored));
        if (payload != null) {
            opened = stored.toBuilder().payloadJson(null);
            fill(opened, decrypted(stored, PAYLOAD, payload));
        }
        Map<String, @Nullable String> headers = openedHeaders(stored);
        if (headers != null) {
            opened = (opened == null ? stored.toBuilder() : opened).headers(headers);
        }
        return opened == null ? stored : opened.build();
    }

    private static void fill(EventEnvelope.Builder event, byte[] plain) {
        byte[] content = content(plain);
        if (plain[0] == BYTES) {
            event.payloadBytes(content);
        } else {
            event.payloadJson(new String(content, StandardCharsets.UTF_8));
        }
    }

    private @Nullable Map<String, @Nullable String> openedHeaders(EventEnvelope stored) {
        Map<String, @Nullable String> opened = null;
        for (Map.Entry<String, @Nullable String> header : stored.headers().entrySet()) {
            SealedText value = SealedText.ofHeader(header.getValue());
            if (value != null) {
                opened = opened == null ? new LinkedHashMap<>(stored.headers()) : opened;
                byte[] plain = decrypted(stored, HEADER + header.getKey(), value);
                opened.put(header.getKey(), new String(content(plain), StandardCharsets.UTF_8));
            }
        }
        return opened;
    }

    private static byte[] content(byte[] marked) {
        byte[] content = new byte[marked.length - 1];
        System.arraycopy(marked, 1, content, 0, content.length);
        return content;
    }

    private byte[] decrypted(EventEnvelope stored, String place, SealedText sealed) {
        try {
            return AesGcm.decrypt(
                    dataKeys.unwrap(sealed.keyId(), sealed.wrappedKey()),
                    bound(stored, place, sealed.keyId()),
                    SealedText.bytes(sealed.data()));
        } catch (AEADBadTagException e) {
            throw new DecryptionException(
                    place + " of event " + stored.eventId() + " cannot be decrypted: it was changed, or encrypted for"
                            + " another row or by another application than '" + application + "'",
                    e);
        }
    }

    private byte[] bound(EventEnvelope event, String place, String keyId) {
        return AssociatedData.of(
                "outbox " + SealedText.VERSION, application, event.eventId(), event.eventType(), place, keyId);
    }

    private boolean isSecret(String eventType) {
        if (eventTypes.isEmpty()) {
            return true;
        }
        for (EventTypePattern pattern : eventTypes) {
            if (pattern.matches(eventType)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the row would be stored differently today: it is plaintext, or uses an old key. */
    boolean isOutdated(EventEnvelope stored) {
        SealedText payload = SealedText.ofPayload(jsonOf(stored));
        if (isSecret(stored.eventType()) != (payload != null) || isOld(payload)) {
            return true;
        }
        for (Map.Entry<String, @Nullable String> header : stored.headers().entrySet()) {
            SealedText value = SealedText.ofHeader(header.getValue());
            boolean secret = header.getValue() != null && secretHeaders.contains(header.getKey());
            if (secret != (value != null) || isOld(value)) {
                return true;
            }
        }
        return false;
    }

    private boolean isOld(@Nullable SealedText sealed) {
        return sealed != null && !sealed.keyId().equals(keys.currentKeyId());
    }

    /** The row as it would be stored today; plaintext rows are accepted, regardless of {@link Builder#refusePlain}. */
    EventEnvelope resealed(EventEnvelope stored) {
        return seal(opened(stored));
    }

    /** Collects settings; not thread-safe. */
    public static final class Builder {
        private final String application;
        private final KeyProvider keys;
        private List<EventTypePattern> eventTypes = List.of();
        private Set<String> secretHeaders = Set.of();
        private boolean refusePlain;
        private long dataKeyUses = DEFAULT_DATA_KEY_USES;
        private Duration dataKeyAge = DEFAULT_DATA_KEY_AGE;

        private Builder(String application, KeyProvider keys) {
            this.application = Objects.requireNonNull(application, "application");
            this.keys = Objects.requireNonNull(keys, "keys");
            if (application.isBlank()) {
                throw new IllegalArgumentException("application must not be blank: encrypted rows are bound to it");
            }
            KeyId.checked(keys.currentKeyId());
        }

        /** Types whose payload is encrypted, with {@code *} as a wildcard; default: all. */
        public Builder eventTypes(String... patterns) {
            this.eventTypes =
                    List.of(patterns).stream().map(EventTypePattern::new).toList();
            return this;
        }

        /** Headers to encrypt, for all event types; case-insensitive. Default: none. */
        public Builder secretHeaders(String... names) {
            Set<String> all = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
            all.addAll(List.of(names));
            this.secretHeaders = all;
            return this;
        }

        /**
         * Rejects plaintext rows that should be encrypted, because another writer may have inserted them. Do not use it
         * while there are rows from before encryption was enabled.
         */
        public Builder refusePlain() {
            this.refusePlain = true;
            return this;
        }

        /** Maximum number of events per data key; default one million. */
        public Builder dataKeyUses(long uses) {
            if (uses < 1 || uses > 1L << 32) {
                throw new IllegalArgumentException("dataKeyUses must be between 1 and 2^32: " + uses);
            }
            this.dataKeyUses = uses;
            return this;
        }

        /** Maximum age of a data key; default one hour. */
        public Builder dataKeyAge(Duration age) {
            if (age.isNegative() || age.isZero()) {
                throw new IllegalArgumentException("dataKeyAge must be positive: " + age);
            }
            this.dataKeyAge = age;
            return this;
        }

        public EventEncryption build() {
            return new EventEncryption(this);
        }
    }
}
