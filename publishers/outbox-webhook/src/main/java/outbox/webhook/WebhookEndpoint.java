package outbox.webhook;

import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.util.EventTypePattern;

/**
 * A receiver of webhooks: URL, event filter, secrets and limits. Immutable and thread-safe.
 *
 * <pre>{@code
 * WebhookEndpoint crm = WebhookEndpoint.builder("crm", URI.create("https://crm.example.com/hooks"))
 *     .secrets(WebhookSecret.parse(secretFromConfiguration))
 *     .eventTypes("order.*")
 *     .tenants("acme")
 *     .ratePerSecond(50)
 *     .build();
 * }</pre>
 */
public final class WebhookEndpoint {
    /** Default timeout, from sending a request to the end of its response. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(15);

    public static final Duration MAX_TIMEOUT = Duration.ofMinutes(1);
    /** Default concurrency limit. */
    public static final int DEFAULT_CONCURRENCY = 16;
    /** Consecutive failures that open the circuit breaker. */
    public static final int DEFAULT_BREAKER_FAILURES = 10;
    /** How long the circuit breaker stays open. */
    public static final Duration DEFAULT_BREAKER_PAUSE = Duration.ofSeconds(30);

    private final String name;
    private final URI url;
    private final Supplier<List<WebhookSecret>> secrets;
    private final List<EventTypePattern> eventTypes;
    private final Set<String> tenants;
    private final WebhookBody body;
    private final @Nullable URI cloudEventsSource;
    private final Map<String, String> headers;
    private final Set<String> forwardedHeaders;
    private final Duration timeout;
    private final double ratePerSecond;
    private final int concurrency;
    private final int breakerFailures;
    private final Duration breakerPause;

    private WebhookEndpoint(Builder builder) {
        this.name = builder.name;
        this.url = builder.url;
        this.secrets = Objects.requireNonNull(builder.secrets);
        this.eventTypes = List.copyOf(builder.eventTypes);
        this.tenants = Set.copyOf(builder.tenants);
        this.body = builder.body;
        this.cloudEventsSource = builder.cloudEventsSource;
        this.headers = Map.copyOf(builder.headers);
        this.forwardedHeaders = Set.copyOf(builder.forwardedHeaders);
        this.timeout = builder.timeout;
        this.ratePerSecond = builder.ratePerSecond;
        this.concurrency = builder.concurrency;
        this.breakerFailures = builder.breakerFailures;
        this.breakerPause = builder.breakerPause;
    }

    /** @param name used in metrics and messages instead of the full URL */
    public static Builder builder(String name, URI url) {
        return new Builder(name, url);
    }

    public String name() {
        return name;
    }

    public URI url() {
        return url;
    }

    /** Whether this endpoint receives the event. */
    public boolean takes(EventEnvelope event) {
        return takesType(event.eventType()) && takesTenant(event.tenantId());
    }

    boolean takesType(String eventType) {
        return eventTypes.isEmpty() || eventTypes.stream().anyMatch(pattern -> pattern.matches(eventType));
    }

    boolean takesTenant(@Nullable String tenantId) {
        return tenants.isEmpty() || (tenantId != null && tenants.contains(tenantId));
    }

    /** Whether there can be events that both receive. */
    boolean mayWantTheSameAs(WebhookEndpoint other) {
        boolean types = eventTypes.isEmpty()
                || other.eventTypes.isEmpty()
                || eventTypes.stream().anyMatch(one -> other.eventTypes.stream().anyMatch(one::overlaps));
        return types
                && (tenants.isEmpty()
                        || other.tenants.isEmpty()
                        || tenants.stream().anyMatch(other.tenants::contains));
    }

    List<WebhookSecret> secrets() {
        List<WebhookSecret> current = secrets.get();
        if (current.isEmpty()) {
            throw new IllegalStateException(
                    "endpoint " + name + " has no secret at the moment; unsigned requests are not sent");
        }
        return current;
    }

    WebhookBody body() {
        return body;
    }

    URI cloudEventsSource(EventEnvelope event) {
        return cloudEventsSource == null
                ? URI.create("urn:outbox:" + event.aggregateType().replaceAll("[^A-Za-z0-9._-]", "-"))
                : cloudEventsSource;
    }

    Map<String, String> headers() {
        return headers;
    }

    Set<String> forwardedHeaders() {
        return forwardedHeaders;
    }

    Duration timeout() {
        return timeout;
    }

    double ratePerSecond() {
        return ratePerSecond;
    }

    int concurrency() {
        return concurrency;
    }

    int breakerFailures() {
        return breakerFailures;
    }

    Duration breakerPause() {
        return breakerPause;
    }

    /** Name and host; the rest of the URL may be secret. */
    @Override
    public String toString() {
        return name + " (" + url.getHost() + ")";
    }

    /** Collects the settings of an endpoint; not thread-safe. */
    public static final class Builder {
        private final String name;
        private final URI url;
        private @Nullable Supplier<List<WebhookSecret>> secrets;
        private List<EventTypePattern> eventTypes = List.of();
        private Set<String> tenants = Set.of();
        private WebhookBody body = WebhookBody.STANDARD;
        private @Nullable URI cloudEventsSource;
        private final Map<String, String> headers = new LinkedHashMap<>();
        private final Set<String> forwardedHeaders = new LinkedHashSet<>();
        private Duration timeout = DEFAULT_TIMEOUT;
        private double ratePerSecond;
        private int concurrency = DEFAULT_CONCURRENCY;
        private int breakerFailures = DEFAULT_BREAKER_FAILURES;
        private Duration breakerPause = DEFAULT_BREAKER_PAUSE;

        private Builder(String name, URI url) {
            if (name.isBlank()) {
                throw new IllegalArgumentException("the name of an endpoint must not be blank");
            }
            this.name = name;
            this.url = Objects.requireNonNull(url, "url");
        }

        /** Required, unless {@link #secretSource} is set. Requests are signed with each secret, for rotation. */
        public Builder secrets(WebhookSecret... secrets) {
            List<WebhookSecret> fixed = List.of(secrets);
            if (fixed.isEmpty()) {
                throw new IllegalArgumentException("endpoint " + name + " needs at least one secret");
            }
            return secretSource(() -> fixed);
        }

        /** Called before each request, so that secrets can change at runtime. Must be fast. */
        public Builder secretSource(Supplier<List<WebhookSecret>> secrets) {
            this.secrets = Objects.requireNonNull(secrets, "secrets");
            return this;
        }

        /** Event types it receives, with {@code *} as a wildcard; default: all. */
        public Builder eventTypes(String... patterns) {
            this.eventTypes =
                    List.of(patterns).stream().map(EventTypePattern::new).toList();
            return this;
        }

        /** Tenants whose events it receives; default: all events, including those without a tenant. */
        public Builder tenants(String... tenantIds) {
            this.tenants = Set.of(tenantIds);
            return this;
        }

        /** Default {@link WebhookBody#STANDARD}. */
        public Builder body(WebhookBody body) {
            this.body = Objects.requireNonNull(body, "body");
            return this;
        }

        /** The CloudEvents source; default {@code urn:outbox:} and the aggregate type. */
        public Builder cloudEventsSource(URI source) {
            this.cloudEventsSource = Objects.requireNonNull(source, "source");
            return this;
        }

        /** Adds a header to every request, such as {@code authorization}. */
        public Builder header(String name, String value) {
            HttpRequest.newBuilder().header(name, value); // rejects invalid and restricted headers
            headers.put(ownName(name), value);
            return this;
        }

        /**
         * Headers of the event to send, in addition to the trace context; default: none, because they may be internal.
         * Values that are not plain ASCII are omitted.
         */
        public Builder forwardHeaders(String... names) {
            for (String header : names) {
                HttpRequest.newBuilder().header(header, "");
                forwardedHeaders.add(ownName(header));
            }
            return this;
        }

        private static String ownName(String header) {
            String lower = header.toLowerCase(Locale.ROOT);
            if (lower.startsWith("webhook-") || lower.startsWith("ce-") || lower.startsWith("proxy-")) {
                throw new IllegalArgumentException("the header " + header + " is reserved and cannot be set");
            }
            return lower;
        }

        /** From sending a request to the end of its response; default 15 s, at most {@link #MAX_TIMEOUT}. */
        public Builder timeout(Duration timeout) {
            if (timeout.isNegative() || timeout.isZero() || timeout.compareTo(MAX_TIMEOUT) > 0) {
                throw new IllegalArgumentException(
                        "timeout must be positive and at most " + MAX_TIMEOUT + ": " + timeout);
            }
            this.timeout = timeout;
            return this;
        }

        /** Rate limit in requests per second, which is also the burst size; default: no limit. */
        public Builder ratePerSecond(double requests) {
            if (!(requests > 0 && requests <= 1_000_000)) {
                throw new IllegalArgumentException("ratePerSecond must be positive: " + requests);
            }
            this.ratePerSecond = requests;
            return this;
        }

        /** Maximum requests in flight; default {@value #DEFAULT_CONCURRENCY}. */
        public Builder concurrency(int limit) {
            if (limit <= 0) {
                throw new IllegalArgumentException("concurrency must be positive: " + limit);
            }
            this.concurrency = limit;
            return this;
        }

        /** After this many consecutive failures the circuit breaker opens for the pause; default 10 and 30 s. */
        public Builder circuitBreaker(int failures, Duration pause) {
            if (failures <= 0 || pause.isNegative() || pause.isZero()) {
                throw new IllegalArgumentException("failures and pause must be positive: " + failures + ", " + pause);
            }
            this.breakerFailures = failures;
            this.breakerPause = pause;
            return this;
        }

        /** @throws IllegalArgumentException if a setting is missing or settings contradict each other */
        public WebhookEndpoint build() {
            if (secrets == null) {
                throw new IllegalArgumentException(
                        "endpoint " + name + " needs secrets(...): unsigned requests are not sent");
            }
            if (cloudEventsSource != null && !body.isCloudEvent()) {
                throw new IllegalArgumentException(
                        "endpoint " + name + " has a cloudEventsSource, but its body is " + body);
            }
            return new WebhookEndpoint(this);
        }
    }
}
