package outbox.idempotency;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.domain.TxMode;

/**
 * A request to create something once. Immutable.
 *
 * <pre>{@code
 * CreateRequest<OrderCreated> request = CreateRequest.<OrderCreated>builder("order", idempotencyKey)
 *     .tenantId("acme")
 *     .request(body)                  // another body with the same key is rejected
 *     .returning(OrderCreated.class)  // stored with the key, for repeated requests
 *     .build();
 * }</pre>
 *
 * @param <T> what the caller gets
 */
public final class CreateRequest<T extends @Nullable Object> {
    /** Default time to wait for another caller with the same key. */
    public static final Duration DEFAULT_WAIT = Duration.ofSeconds(5);
    /** Default retention of a key. */
    public static final Duration DEFAULT_EXPIRY = Duration.ofDays(1);

    private static final int MAX_PREFIX = 16;

    private final IdempotencyKey key;
    private final Object request;
    private final ResultSource<T> resultSource;
    private final TxMode txMode;
    private final Duration waitAtMost;
    private final Duration expiresAfter;
    private final String publicIdPrefix;
    private final @Nullable String aggregateType;

    private CreateRequest(Builder<T> builder, Object request, ResultSource<T> resultSource) {
        this.key = new IdempotencyKey(builder.tenantId, builder.scope, builder.key);
        this.request = request;
        this.resultSource = resultSource;
        this.txMode = builder.txMode;
        this.waitAtMost = builder.waitAtMost;
        this.expiresAfter = builder.expiresAfter;
        this.publicIdPrefix = builder.publicIdPrefix;
        this.aggregateType = builder.aggregateType;
    }

    /** Where a repeated request gets its result from. */
    sealed interface ResultSource<T extends @Nullable Object> {
        /** Stored as JSON with the key. */
        record Stored<T extends @Nullable Object>(Class<T> type) implements ResultSource<T> {}

        /** Looked up by the public id. */
        record Loaded<T extends @Nullable Object>(Function<String, T> loader) implements ResultSource<T> {}
    }

    /**
     * @param scope what is created, such as {@code order}; at most 64 characters
     * @param idempotencyKey chosen by the caller; at most 128 characters
     */
    public static <T extends @Nullable Object> Builder<T> builder(String scope, String idempotencyKey) {
        return new Builder<>(scope, idempotencyKey);
    }

    public IdempotencyKey key() {
        return key;
    }

    public TxMode txMode() {
        return txMode;
    }

    Object request() {
        return request;
    }

    ResultSource<T> resultSource() {
        return resultSource;
    }

    Duration waitAtMost() {
        return waitAtMost;
    }

    Duration expiresAfter() {
        return expiresAfter;
    }

    String publicIdPrefix() {
        return publicIdPrefix;
    }

    @Nullable
    String aggregateType() {
        return aggregateType;
    }

    /** Collects the parts of a request; not thread-safe. */
    public static final class Builder<T extends @Nullable Object> {
        private final String scope;
        private final String key;
        private String tenantId = "";
        private @Nullable Object request;
        private @Nullable ResultSource<T> resultSource;
        private TxMode txMode = TxMode.REQUIRED;
        private Duration waitAtMost = DEFAULT_WAIT;
        private Duration expiresAfter = DEFAULT_EXPIRY;
        private String publicIdPrefix = "";
        private @Nullable String aggregateType;

        private Builder(String scope, String key) {
            this.scope = Objects.requireNonNull(scope, "scope");
            this.key = Objects.requireNonNull(key, "idempotencyKey");
        }

        /** Keys of different tenants are different keys. Default: none. */
        public Builder<T> tenantId(String tenantId) {
            this.tenantId = Objects.requireNonNull(tenantId, "tenantId");
            return this;
        }

        /**
         * Required: everything the result depends on. Text and bytes are used as they are, other objects as JSON. Only
         * a hash is stored.
         */
        public Builder<T> request(Object request) {
            this.request = Objects.requireNonNull(request, "request");
            return this;
        }

        /** This or {@link #loadedBy} is required: the result is stored as JSON and read back as this class. */
        public Builder<T> returning(Class<T> type) {
            this.resultSource = new ResultSource.Stored<>(Objects.requireNonNull(type, "type"));
            return this;
        }

        /** This or {@link #returning} is required: the result is looked up by its public id. */
        public Builder<T> loadedBy(Function<String, T> loader) {
            this.resultSource = new ResultSource.Loaded<>(Objects.requireNonNull(loader, "loader"));
            return this;
        }

        /** Default {@link TxMode#REQUIRED}. */
        public Builder<T> txMode(TxMode txMode) {
            this.txMode = Objects.requireNonNull(txMode, "txMode");
            return this;
        }

        /** Maximum time to wait for another caller with the same key; zero for none. Default 5 s. */
        public Builder<T> waitAtMost(Duration wait) {
            if (wait.isNegative()) {
                throw new IllegalArgumentException("waitAtMost must not be negative: " + wait);
            }
            this.waitAtMost = wait;
            return this;
        }

        /** Retention of the key; afterwards it can be used again. Default 1 day. */
        public Builder<T> expiresAfter(Duration expiry) {
            if (expiry.isNegative() || expiry.isZero()) {
                throw new IllegalArgumentException("expiresAfter must be positive: " + expiry);
            }
            this.expiresAfter = expiry;
            return this;
        }

        /** Prefix of public ids, such as {@code ord_}; at most 16 characters. */
        public Builder<T> publicIdPrefix(String prefix) {
            if (prefix.length() > MAX_PREFIX || !prefix.matches("[A-Za-z0-9_-]*")) {
                throw new IllegalArgumentException("publicIdPrefix must have at most " + MAX_PREFIX
                        + " letters, digits, underscores and hyphens: " + prefix);
            }
            this.publicIdPrefix = prefix;
            return this;
        }

        /** The aggregate type of the events; their aggregate id is then the public id. Default: that of the events. */
        public Builder<T> aggregateType(String aggregateType) {
            this.aggregateType = Objects.requireNonNull(aggregateType, "aggregateType");
            return this;
        }

        /** @throws IllegalArgumentException if the key is empty or too long, or a required part is missing */
        public CreateRequest<T> build() {
            if (request == null) {
                throw new IllegalArgumentException("request(...) is missing: it distinguishes a repeated request from"
                        + " another one with the same key");
            }
            if (resultSource == null) {
                throw new IllegalArgumentException(
                        "returning(...) or loadedBy(...) is missing: it defines the result of repeated requests");
            }
            return new CreateRequest<>(this, request, resultSource);
        }
    }
}
