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

/** Events to webhooks. */
@ConfigurationProperties("outbox.webhook")
public class WebhookRouteProperties {
    /** Endpoints by name. Each gets the events it wants, with its own progress. */
    private Map<String, Endpoint> endpoints = new LinkedHashMap<>();

    /** Whether plain HTTP is allowed: everyone on the way can read the events. */
    private boolean allowHttp;

    /** Blocks of private or reserved addresses that requests may go to, 10.20.0.0/16 for instance. */
    private List<String> allowAddresses = new ArrayList<>();

    /** How long connecting to one address may take. */
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

    public List<String> getAllowAddresses() {
        return allowAddresses;
    }

    public void setAllowAddresses(List<String> allowAddresses) {
        this.allowAddresses = allowAddresses;
    }

    public Duration getConnectTimeout() {
        return connectTimeout;
    }

    public void setConnectTimeout(Duration connectTimeout) {
        this.connectTimeout = connectTimeout;
    }

    /** One receiver. */
    public static class Endpoint extends RouteProperties {
        /** Where requests go. */
        private @Nullable URI url;

        /** What requests are signed with, whsec_ and Base64; several while one replaces the other. */
        private List<String> secrets = new ArrayList<>();

        /** Tenants whose events it wants. Default: all events, also those without a tenant. */
        private List<String> tenants = new ArrayList<>();

        /** Form of the body. */
        private WebhookBody body = WebhookBody.STANDARD;

        /** Where events come from, in a CloudEvents body. */
        private @Nullable URI cloudEventsSource;

        /** Headers of every request. */
        private Map<String, String> headers = new LinkedHashMap<>();

        /** Headers of the event that go along, besides the trace context. */
        private List<String> forwardHeaders = new ArrayList<>();

        /** From sending a request to the end of its response. */
        private Duration timeout = WebhookEndpoint.DEFAULT_TIMEOUT;

        /** Requests a second at most. Default: no limit. */
        private @Nullable Double ratePerSecond;

        /** Requests in flight. */
        private int concurrency = WebhookEndpoint.DEFAULT_CONCURRENCY;

        /** Failures in a row after which it is left alone. */
        private int breakerFailures = WebhookEndpoint.DEFAULT_BREAKER_FAILURES;

        /** How long it is left alone then. */
        private Duration breakerPause = WebhookEndpoint.DEFAULT_BREAKER_PAUSE;

        public Endpoint() {
            setRetry(RetryPreset.OUTBOUND);
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
