package outbox.spring.boot.module;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import outbox.idempotency.redis.RedisDispatchGuard;

/** Guard against double sending, in Redis. */
@ConfigurationProperties("outbox.guard")
public class GuardProperties {
    /** Whether routes remember in Redis what they sent. Needs outbox.redis.uri. */
    private boolean enabled;

    /** How long an event counts as sent. */
    private Duration ttl = RedisDispatchGuard.DEFAULT_TTL;

    /** How long one attempt to send may take. */
    private Duration claimTime = RedisDispatchGuard.DEFAULT_CLAIM_TIME;

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public Duration getTtl() {
        return ttl;
    }

    public void setTtl(Duration ttl) {
        this.ttl = ttl;
    }

    public Duration getClaimTime() {
        return claimTime;
    }

    public void setClaimTime(Duration claimTime) {
        this.claimTime = claimTime;
    }
}
