package outbox.spring.boot.module;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import outbox.listener.RetryPreset;
import outbox.webhook.WebhookBody;
import outbox.webhook.WebhookClient;
import outbox.webhook.WebhookEndpoint;

/** Sending events to webhooks. */
@ConfigurationProperties("outbox.webhook")
public class WebhookRouteProperties {
    /** Webhook endpoints by name. Each has its own event types, retries and progress. */
    private Map<String, Endpoint> endpoints = new LinkedHashMap<>();

    /** Whether endpoints may use plain HTTP, which does not protect the events in transit. */
    private boolean allowHttp;

    /** Private or reserved address blocks that requests may be sent to, for example 10.20.0.0/16. */
    private List<String> allowedAddresses = new ArrayList<>();

    /** Timeout for connecting to one address. */
    private Duration connectTimeout = WebhookClient.DEFAULT_CONNECT_TIMEOUT;

    public Map<String, Endpoint> getEndpoints() {
        return endpoints;
    }

    public void setEndpoints(Map<String, Endpoint> endpoints) {
        this.endpoints = endpoints;
    }

    public boolean isAllowHttp() {
        return allowHttp;
    }

    public void setAllowHttp(boolean allowHttp) {
        this.allowHttp = allowHttp;
    }

    public List<String> getAllowedAddresses() {
        return allowedAddresses;
    }

    public void setAllowedAddresses(List<String> allowedAddresses) {
        this.allowedAddresses = allowedAddresses;
    }

    public Duration getConnectTimeout() {
        return connectTimeout;
    }

    public void setConnectTimeout(Duration connectTimeout) {
        this.connectTimeout = connectTimeout;
    }

    /** One receiver. */
    public static class Endpoint extends RouteProperties {
        /** URL that requests are sent to. */
        private @Nullable URI url;

        /** Secrets that requests are signed with: whsec_ followed by Base64. Several while you rotate them. */
        private List<String> secrets = new ArrayList<>();

        /** Tenants whose events are sent. Default: all events, including those without a tenant. */
        private List<String> tenants = new ArrayList<>();

        /** Format of the request body. */
        private WebhookBody body = WebhookBody.STANDARD;

        /** Source of the events, for a CloudEvents body. Default: urn:outbox: and the aggregate type. */
        private @Nullable URI cloudEventsSource;

        /** Headers to add to every request. */
        private Map<String, String> headers = new LinkedHashMap<>();

        /** Headers of the event to forward, in addition to the trace context. */
        private List<String> forwardHeaders = new ArrayList<>();

        /** Timeout from sending a request to the end of the response. */
        private Duration timeout = WebhookEndpoint.DEFAULT_TIMEOUT;

        /** Maximum number of requests per second. Default: no limit. */
        private @Nullable Double ratePerSecond;

        /** Maximum number of concurrent requests. */
        private int concurrency = WebhookEndpoint.DEFAULT_CONCURRENCY;

        /** Number of consecutive failures that opens the circuit breaker. */
        private int breakerFailures = WebhookEndpoint.DEFAULT_BREAKER_FAILURES;

        /** How long the circuit breaker stays open. */
        private Duration breakerPause = WebhookEndpoint.DEFAULT_BREAKER_PAUSE;

        public Endpoint() {
            super(RetryPreset.OUTBOUND);
        }

        public @Nullable URI getUrl() {
            return url;
        }

        public void setUrl(@Nullable URI url) {
            this.url = url;
        }

        public List<String> getSecrets() {
            return secrets;
        }

        public void setSecrets(List<String> secrets) {
            this.secrets = secrets;
        }

        public List<String> getTenants() {
            return tenants;
        }

        public void setTenants(List<String> tenants) {
            this.tenants = tenants;
        }

        public WebhookBody getBody() {
            return body;
        }

        public void setBody(WebhookBody body) {
            this.body = body;
        }

        public @Nullable URI getCloudEventsSource() {
            return cloudEventsSource;
        }

        public void setCloudEventsSource(@Nullable URI cloudEventsSource) {
            this.cloudEventsSource = cloudEventsSource;
        }

        public Map<String, String> getHeaders() {
            return headers;
        }

        public void setHeaders(Map<String, String> headers) {
            this.headers = headers;
        }

        public List<String> getForwardHeaders() {
            return forwardHeaders;
        }

        public void setForwardHeaders(List<String> forwardHeaders) {
            this.forwardHeaders = forwardHeaders;
        }

        public Duration getTimeout() {
            return timeout;
        }

        public void setTimeout(Duration timeout) {
            this.timeout = timeout;
        }

        public @Nullable Double getRatePerSecond() {
            return ratePerSecond;
        }

        public void setRatePerSecond(@Nullable Double ratePerSecond) {
            this.ratePerSecond = ratePerSecond;
        }

        public int getConcurrency() {
            return concurrency;
        }

        public void setConcurrency(int concurrency) {
            this.concurrency = concurrency;
        }

        public int getBreakerFailures() {
            return breakerFailures;
        }

        public void setBreakerFailures(int breakerFailures) {
            this.breakerFailures = breakerFailures;
        }

        public Duration getBreakerPause() {
            return breakerPause;
        }

        public void setBreakerPause(Duration breakerPause) {
            this.breakerPause = breakerPause;
        }
    }
}
