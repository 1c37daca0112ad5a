package outbox.spring.boot.idempotent;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;
import outbox.idempotency.http.IdempotencyKeyHeader;
import outbox.idempotency.http.IdempotentAnswers;

/** Controller methods with {@code @Idempotent}. */
@ConfigurationProperties("outbox.idempotency.http")
public class IdempotentHttpProperties {
    /** Whether @Idempotent has an effect. If not, its methods run for every request. */
    private boolean enabled = true;

    /** Name of the header with the key. */
    private String header = IdempotencyKeyHeader.NAME;

    /** How long an answer is kept, unless the annotation says so. */
    private Duration ttl = IdempotentAnswers.DEFAULT_TTL;

    /**
     * How soon a repeated request can run after the process of the first one died. Running requests renew their lease.
     */
    private Duration lease = IdempotentAnswers.DEFAULT_LEASE;

    /** When to try again while the first request is in progress: the header Retry-After, in whole seconds. */
    private Duration retryAfter = Duration.ofSeconds(1);

    /** Largest body of a request, which is kept in memory to compare requests. Larger ones get 413. */
    private DataSize maxRequestSize = DataSize.ofMegabytes(1);

    /**
     * Largest body of an answer that is stored, at most 8MB. A larger one is sent, but repeated requests get 409 instead
     * of it.
     */
    private DataSize maxAnswerSize = DataSize.ofMegabytes(1);

    /** Further headers of answers that are not stored. Set-Cookie and the like never are. */
    private List<String> excludedHeaders = new ArrayList<>();

    /** Which of outbox.instances keeps the answers. Required if there are several and none is primary. */
    private @Nullable String instance;

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public String getHeader() {
        return header;
    }

    public void setHeader(String header) {
        this.header = header;
    }

    public Duration getTtl() {
        return ttl;
    }

    public void setTtl(Duration ttl) {
        this.ttl = ttl;
    }

    public Duration getLease() {
        return lease;
    }

    public void setLease(Duration lease) {
        this.lease = lease;
    }

    public Duration getRetryAfter() {
        return retryAfter;
    }

    public void setRetryAfter(Duration retryAfter) {
        this.retryAfter = retryAfter;
    }

    public DataSize getMaxRequestSize() {
        return maxRequestSize;
    }

    public void setMaxRequestSize(DataSize maxRequestSize) {
        this.maxRequestSize = maxRequestSize;
    }

    public DataSize getMaxAnswerSize() {
        return maxAnswerSize;
    }

    public void setMaxAnswerSize(DataSize maxAnswerSize) {
        this.maxAnswerSize = maxAnswerSize;
    }

    public List<String> getExcludedHeaders() {
        return excludedHeaders;
    }

    public void setExcludedHeaders(List<String> excludedHeaders) {
        this.excludedHeaders = excludedHeaders;
    }

    public @Nullable String getInstance() {
        return instance;
    }

    public void setInstance(@Nullable String instance) {
        this.instance = instance;
    }
}
