package outbox.inbox;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message of a broker or an endpoint, before it is stored. Immutable and thread-safe.
 *
 * <pre>{@code
 * InboxMessage.builder("order.placed")
 *     .id("01JD…")
 *     .key("42")
 *     .payload("{\"total\":100}")
 *     .build();
 * }</pre>
 */
public final class InboxMessage {
    private final String type;
    private final @Nullable String id;
    private final @Nullable String key;
    private final @Nullable String tenantId;
    private final @Nullable String source;
    private final @Nullable String position;
    private final Map<String, String> headers;
    private final byte[] payload;

    private InboxMessage(Builder builder) {
        this.type = builder.type;
        this.id = builder.id;
        this.key = builder.key;
        this.tenantId = builder.tenantId;
        this.source = builder.source;
        this.position = builder.position;
        this.headers = Collections.unmodifiableMap(new LinkedHashMap<>(builder.headers));
        this.payload = builder.payload;
    }

    /** @param type the event type, which chooses the handler */
    public static Builder builder(String type) {
        return new Builder(type);
    }

    public String type() {
        return type;
    }

    public @Nullable String id() {
        return id;
    }

    public @Nullable String key() {
        return key;
    }

    public @Nullable String tenantId() {
        return tenantId;
    }

    public @Nullable String source() {
        return source;
    }

    public @Nullable String position() {
        return position;
    }

    /** Unmodifiable. */
    public Map<String, String> headers() {
        return headers;
    }

    /** The caller's own copy. */
    public byte[] payload() {
        return payload.clone();
    }

    int payloadSize() {
        return payload.length;
    }

    /** Names the message; never its payload or headers. */
    @Override
    public String toString() {
        return "InboxMessage[" + type + ", id=" + id + (source == null ? "" : ", source=" + source)
                + (position == null ? "" : ", position=" + position) + "]";
    }

    /** Collects the parts of one message; not thread-safe. */
    public static final class Builder {
        private final String type;
        private @Nullable String id;
        private @Nullable String key;
        private @Nullable String tenantId;
        private @Nullable String source;
        private @Nullable String position;
        private final Map<String, String> headers = new LinkedHashMap<>();
        private byte[] payload = "null".getBytes(StandardCharsets.UTF_8);

        private Builder(String type) {
            this.type = Objects.requireNonNull(type, "type");
        }

        /** The same in every delivery, and different for each message of a consumer group. Of any length. */
        public Builder id(@Nullable String id) {
            this.id = id;
            return this;
        }

        /** The ordering key; at most 128 characters. */
        public Builder key(@Nullable String key) {
            this.key = key;
            return this;
        }

        public Builder tenantId(@Nullable String tenantId) {
            this.tenantId = tenantId;
            return this;
        }

        /** Where it came from, such as a topic. */
        public Builder source(@Nullable String source) {
            this.source = source;
            return this;
        }

        /** Its place in the source, such as partition and offset. */
        public Builder position(@Nullable String position) {
            this.position = position;
            return this;
        }

        public Builder header(String name, String value) {
            headers.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
            return this;
        }

        /** Adds all of them. */
        public Builder headers(Map<String, String> more) {
            more.forEach(this::header);
            return this;
        }

        /** Default: the JSON text {@code null}. */
        public Builder payload(byte[] bytes) {
            this.payload = bytes.clone();
            return this;
        }

        public Builder payload(String text) {
            this.payload = text.getBytes(StandardCharsets.UTF_8);
            return this;
        }

        public InboxMessage build() {
            return new InboxMessage(this);
        }
    }
}
