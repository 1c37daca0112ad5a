package outbox;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.util.Ulid;

/**
 * An event on its way: what happened, to what, when, and the payload: JSON text, bytes, or a {@link PayloadSource} that is
 * read when it is needed. Immutable and thread-safe.
 *
 * <pre>{@code
 * EventEnvelope.builder("OrderPlaced")
 *     .aggregateType("Order")
 *     .aggregateId("42")
 *     .payloadJson("{\"total\":100}")
 *     .build();
 * }</pre>
 */
public final class EventEnvelope {
    /** The largest payload in a row, counted in bytes of UTF-8; that of a {@link PayloadSource} may be larger. */
    public static final int MAX_PAYLOAD_BYTES = 1_048_576;

    /** The form in which a payload was written. */
    public enum PayloadForm {
        JSON,
        BYTES
    }

    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999999999Z");

    private final String eventId;
    private final String eventType;
    private final Instant occurredAt;
    private final String aggregateType;
    private final @Nullable String aggregateId;
    private final @Nullable String tenantId;
    private final Map<String, String> headers;
    private final @Nullable String payloadJson;
    private final byte @Nullable [] payloadBytes;
    private final @Nullable PayloadSource payloadSource;
    private final @Nullable Instant availableAt;
    private final @Nullable Duration deliverAfter;
    private final boolean stored;
    private final int attempt;
    private final boolean lastAttempt;
    private final @Nullable FirstDelivery firstDelivery;

    private EventEnvelope(Builder builder) {
        this.eventId = builder.eventId == null ? Ulid.next() : limited("eventId", builder.eventId, 36);
        this.eventType = limited("eventType", builder.eventType, 128);
        this.occurredAt = builder.occurredAt == null ? Instant.now() : storable("occurredAt", builder.occurredAt);
        this.aggregateType = builder.aggregateType == null
                ? AggregateType.GLOBAL.name()
                : limited("aggregateType", builder.aggregateType, 64);
        this.aggregateId = builder.aggregateId == null ? null : limited("aggregateId", builder.aggregateId, 128);
        this.tenantId = builder.tenantId == null ? null : limited("tenantId", builder.tenantId, 64);
        this.headers = copyOf(builder.headers);
        this.payloadJson = builder.payloadJson;
        this.payloadBytes = builder.payloadBytes; // a copy already, which nobody changes
        this.payloadSource = builder.payloadSource;
        this.availableAt = builder.availableAt == null ? null : storable("availableAt", builder.availableAt);
        this.deliverAfter = builder.deliverAfter;
        this.stored = builder.stored;
        this.attempt = builder.attempt;
        this.lastAttempt = builder.lastAttempt;
        this.firstDelivery = null;
        checkPayload();
    }

    /** A copy of an event that was checked when it was made. */
    private EventEnvelope(EventEnvelope event, FirstDelivery firstDelivery) {
        this.eventId = event.eventId;
        this.eventType = event.eventType;
        this.occurredAt = event.occurredAt;
        this.aggregateType = event.aggregateType;
        this.aggregateId = event.aggregateId;
        this.tenantId = event.tenantId;
        this.headers = event.headers;
        this.payloadJson = event.payloadJson;
        this.payloadBytes = event.payloadBytes;
        this.payloadSource = event.payloadSource;
        this.availableAt = event.availableAt;
        this.deliverAfter = event.deliverAfter;
        this.stored = event.stored;
        this.attempt = event.attempt;
        this.lastAttempt = event.lastAttempt;
        this.firstDelivery = firstDelivery;
    }

    private static String limited(String field, String value, int limit) {
        if (value.isBlank()) {
            throw new IllegalArgumentException(field + " must not be blank");
        }
        if (value.length() > limit) {
            throw new IllegalArgumentException(
                    field + " has " + value.length() + " characters, the column holds " + limit + ": " + value);
        }
        if (value.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(field + " must not contain the character NUL: " + value);
        }
        return PayloadText.wholeCharacters(field, value);
    }

    /** Within what the time types of all databases hold. */
    private static Instant storable(String field, Instant time) {
        if (time.isBefore(EARLIEST) || time.isAfter(LATEST)) {
            throw new IllegalArgumentException(
                    field + " must be from " + EARLIEST + " to " + LATEST + ", which databases can store: " + time);
        }
        return time;
    }

    private static Map<String, String> copyOf(Map<String, String> headers) {
        if (headers.isEmpty()) {
            return Map.of();
        }
        for (Map.Entry<String, String> header : headers.entrySet()) {
            if (header.getKey() == null) {
                throw new IllegalArgumentException(
                        "headers must not contain a null key (value: " + header.getValue() + ")");
            }
            PayloadText.wholeCharacters("header key", header.getKey());
            if (header.getValue() != null) {
                PayloadText.wholeCharacters("header " + header.getKey(), header.getValue());
            }
        }
        return Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    }

    private void checkPayload() {
        int given = (payloadJson == null ? 0 : 1) + (payloadBytes == null ? 0 : 1) + (payloadSource == null ? 0 : 1);
        if (given == 0) {
            throw new IllegalArgumentException(
                    "event " + eventType + " has no payload: set payloadJson or payloadBytes");
        }
        if (given > 1) {
            throw new IllegalArgumentException("event " + eventType
                    + (payloadSource != null
                            ? " has a payload source beside another payload: set one of them"
                            : " has both payloadJson and payloadBytes: set one of them"));
        }
        if (stored || payloadSource != null) {
            return;
        }
        if (payloadJson != null) {
            PayloadText.wholeCharacters("payloadJson", payloadJson);
        }
        int size = payloadBytes != null
                ? payloadBytes.length
                : PayloadText.utf8Length(Objects.requireNonNull(payloadJson));
        if (size > MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException("payload of event " + eventType + " has " + size
                    + " bytes, the limit is " + MAX_PAYLOAD_BYTES
                    + ": store the data elsewhere and send a reference, or write a payloadSource with a claim check");
        }
    }

    public static Builder builder(String eventType) {
        return new Builder(eventType);
    }

    public static Builder builder(EventType eventType) {
        return new Builder(eventType.name());
    }

    public static EventEnvelope ofJson(String eventType, String payloadJson) {
        return builder(eventType).payloadJson(payloadJson).build();
    }

    public static EventEnvelope ofJson(EventType eventType, String payloadJson) {
        return builder(eventType).payloadJson(payloadJson).build();
    }

    /** A builder that holds all fields of this event, its id among them; for hooks that change something. */
    public Builder toBuilder() {
        Builder builder = new Builder(eventType);
        builder.eventId = eventId;
        builder.occurredAt = occurredAt;
        builder.aggregateType = aggregateType;
        builder.aggregateId = aggregateId;
        builder.tenantId = tenantId;
        builder.headers.putAll(headers);
        builder.payloadJson = payloadJson;
        builder.payloadBytes = payloadBytes;
        builder.payloadSource = payloadSource;
        builder.availableAt = availableAt;
        builder.deliverAfter = deliverAfter;
        builder.stored = stored;
        builder.attempt = attempt;
        builder.lastAttempt = lastAttempt;
        return builder;
    }

    /** The same event as it is given to a listener for that attempt; for the engine. */
    public EventEnvelope atAttempt(int attempt) {
        return atAttempt(attempt, false);
    }

    /**
     * As {@link #atAttempt(int)}.
     *
     * @param last whether it is the last one, unless somebody replays the event
     */
    public EventEnvelope atAttempt(int attempt, boolean last) {
        if (attempt < 1) {
            throw new IllegalArgumentException("attempts are counted from 1: " + attempt);
        }
        if (attempt == this.attempt && last == this.lastAttempt) {
            return this;
        }
        Builder builder = toBuilder();
        builder.attempt = attempt;
        builder.lastAttempt = last;
        return builder.build();
    }

    /** This event right after its commit, on the way to its first delivery in this process. */
    EventEnvelope justWritten(FirstDelivery firstDelivery) {
        return new EventEnvelope(this, firstDelivery);
    }

    /**
     * Whether this is certainly the first delivery of the event: this process wrote it a moment ago, and nobody else can
     * have delivered it since. {@code true} at most once; {@code false} if that is not known. For the engine's own modules.
     */
    public boolean takeFirstDelivery() {
        return firstDelivery != null && firstDelivery.take();
    }

    public String eventId() {
        return eventId;
    }

    public String eventType() {
        return eventType;
    }

    public Instant occurredAt() {
        return occurredAt;
    }

    /** The aggregate type, {@code "__GLOBAL__"} where none was given. */
    public String aggregateType() {
        return aggregateType;
    }

    public @Nullable String aggregateId() {
        return aggregateId;
    }

    public @Nullable String tenantId() {
        return tenantId;
    }

    /** Unmodifiable; never null. */
    public Map<String, String> headers() {
        return headers;
    }

    /** Which delivery of the event this is, for a listener: 1 for the first, 2 after one failed attempt. */
    public int attempt() {
        return attempt;
    }

    /**
     * Whether the event is DEAD if the listener fails now, because its attempts are used up: by the rules of the listener
     * that is called, or those of the dispatcher. A failure that means dead at once ends the attempts earlier. Not known
     * before a listener is chosen, and {@code false} then.
     */
    public boolean isLastAttempt() {
        return lastAttempt;
    }

    /**
     * The id of the event that is delivered again with this one, see {@link Redelivery}; {@code null} if this is not a
     * redelivery. A header that was only copied from another event does not count.
     */
    public @Nullable String redeliveryOf() {
        return Redelivery.targetOf(this) == null ? null : headers.get(Redelivery.OF);
    }

    /** In which of the two forms the payload was written; all accessors work for either. */
    public PayloadForm payloadForm() {
        if (payloadSource != null) {
            return payloadSource.form();
        }
        return payloadJson != null ? PayloadForm.JSON : PayloadForm.BYTES;
    }

    /**
     * The payload as text; {@code null} if it was written as bytes that are not UTF-8. That of a {@link #payloadSource} is
     * read whole, each time.
     *
     * @throws UnreadablePayloadException if it is gone
     * @throws IllegalStateException if it takes more than an eighth of the heap: read {@link #payloadStream}
     */
    public @Nullable String payloadJson() {
        return payloadJson != null ? payloadJson : PayloadText.of(bytes());
    }

    /**
     * The payload as bytes, in UTF-8 if it was written as text; the caller's own copy. That of a {@link #payloadSource} is
     * read whole, each time, with the failures of {@link #payloadJson()}.
     */
    public byte[] payloadBytes() {
        if (payloadJson != null) {
            return payloadJson.getBytes(StandardCharsets.UTF_8);
        }
        return payloadBytes != null ? payloadBytes.clone() : bytes();
    }

    private byte[] bytes() {
        return payloadBytes != null
                ? payloadBytes
                : PayloadText.read(Objects.requireNonNull(payloadSource), eventType + " " + eventId);
    }

    /**
     * The payload as a stream, whatever its form; the caller closes it. A large one is never in memory as a whole.
     *
     * @throws UnreadablePayloadException if it is gone; reading may throw that too
     */
    public InputStream payloadStream() throws IOException {
        return payloadSource != null
                ? payloadSource.open()
                : new ByteArrayInputStream(payloadJson != null ? payloadBytes() : bytes());
    }

    /** How many bytes {@link #payloadStream} has; -1 if that is not known before it is read. */
    public long payloadSize() {
        if (payloadSource != null) {
            return payloadSource.size();
        }
        return payloadJson != null ? payloadBytes().length : bytes().length;
    }

    /** Where the payload is read from; {@code null} if it is in memory. */
    public @Nullable PayloadSource payloadSource() {
        return payloadSource;
    }

    /** Not to be delivered before this time; {@code null} for as soon as possible. */
    public @Nullable Instant availableAt() {
        return availableAt;
    }

    /** Not to be delivered before this much time has passed since the insert, by the database's clock. */
    public @Nullable Duration deliverAfter() {
        return deliverAfter;
    }

    /** Whether delivery waits for a time: such an event never takes the hot path. */
    public boolean isDelayed() {
        return availableAt != null || deliverAfter != null;
    }

    /**
     * About how many bytes this event takes, in memory and in a statement: the payload, as it is stored, and the headers;
     * nothing for a payload that is not in memory.
     * Never less than there are characters in them.
     */
    public int approximateSize() {
        long size = payloadJson == null ? 0 : payloadJson.length();
        size += payloadBytes == null ? 0 : payloadBytes.length / 3 * 4L + 4; // as Base64
        for (Map.Entry<String, String> header : headers.entrySet()) {
            size += header.getKey().length();
            size += header.getValue() == null ? 0 : header.getValue().length();
        }
        return (int) Math.min(Integer.MAX_VALUE, size);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof EventEnvelope that && eventId.equals(that.eventId);
    }

    @Override
    public int hashCode() {
        return eventId.hashCode();
    }

    /** Names the event; never its payload or headers. */
    @Override
    public String toString() {
        return "EventEnvelope[" + eventId + ", " + aggregateType + ":" + eventType
                + (aggregateId == null ? "" : ", aggregateId=" + aggregateId) + "]";
    }

    /** Collects the fields of one event; not thread-safe. */
    public static final class Builder {
        private final String eventType;
        private @Nullable String eventId;
        private @Nullable Instant occurredAt;
        private @Nullable String aggregateType;
        private @Nullable String aggregateId;
        private @Nullable String tenantId;
        private final Map<String, String> headers = new LinkedHashMap<>();
        private @Nullable String payloadJson;
        private byte @Nullable [] payloadBytes;
        private @Nullable PayloadSource payloadSource;
        private @Nullable Instant availableAt;
        private @Nullable Duration deliverAfter;
        private boolean stored;
        private int attempt = 1;
        private boolean lastAttempt;

        private Builder(String eventType) {
            this.eventType = Objects.requireNonNull(eventType, "eventType");
        }

        /** Default: a new ULID. At most 36 characters, unique in the table. */
        public Builder eventId(@Nullable String eventId) {
            this.eventId = eventId;
            return this;
        }

        /** Default: now. */
        public Builder occurredAt(@Nullable Instant occurredAt) {
            this.occurredAt = occurredAt;
            return this;
        }

        /** Default: {@link AggregateType#GLOBAL}. */
        public Builder aggregateType(@Nullable String aggregateType) {
            this.aggregateType = aggregateType;
            return this;
        }

        public Builder aggregateType(AggregateType aggregateType) {
            return aggregateType(aggregateType.name());
        }

        public Builder aggregateId(@Nullable String aggregateId) {
            this.aggregateId = aggregateId;
            return this;
        }

        /** Passed through to listeners; the framework does not filter by it. */
        public Builder tenantId(@Nullable String tenantId) {
            this.tenantId = tenantId;
            return this;
        }

        /** Replaces all headers given so far. */
        public Builder headers(@Nullable Map<String, String> headers) {
            this.headers.clear();
            if (headers != null) {
                this.headers.putAll(headers);
            }
            return this;
        }

        /** Adds one header. */
        public Builder header(String key, String value) {
            headers.put(key, value);
            return this;
        }

        public Builder payloadJson(@Nullable String payloadJson) {
            this.payloadJson = payloadJson;
            this.stored = false;
            return this;
        }

        /**
         * A payload as the table gave it back. Databases write JSON anew, numbers with an exponent as many digits for
         * instance: what was small enough to be written may be longer now, and is not measured again.
         */
        public Builder storedPayloadJson(String payloadJson) {
            this.payloadJson = Objects.requireNonNull(payloadJson, "payloadJson");
            this.stored = true;
            return this;
        }

        public Builder payloadBytes(byte @Nullable [] payloadBytes) {
            this.payloadBytes = payloadBytes == null ? null : payloadBytes.clone();
            this.stored = false;
            return this;
        }

        /** A payload of any size, which is read when the event is written; needs an outbox with a claim check. */
        public Builder payloadSource(@Nullable PayloadSource payloadSource) {
            this.payloadSource = payloadSource;
            return this;
        }

        /** Delivers not before {@code time}, and at the latest one poll after it. */
        public Builder availableAt(@Nullable Instant time) {
            this.availableAt = time;
            return this;
        }

        /** Delivers not before {@code delay} has passed since the insert, by the database's clock. */
        public Builder deliverAfter(@Nullable Duration delay) {
            if (delay != null && delay.isNegative()) {
                throw new IllegalArgumentException("deliverAfter must not be negative: " + delay);
            }
            this.deliverAfter = delay;
            return this;
        }

        /** @throws IllegalArgumentException if the event breaks a rule; the message names the field and the value */
        public EventEnvelope build() {
            if (availableAt != null && deliverAfter != null) {
                throw new IllegalArgumentException("both availableAt " + availableAt + " and deliverAfter "
                        + deliverAfter + " are set for event " + eventType + ": set one of them");
            }
            return new EventEnvelope(this);
        }
    }
}
