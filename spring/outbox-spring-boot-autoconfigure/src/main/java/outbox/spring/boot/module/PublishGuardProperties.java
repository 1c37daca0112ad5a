package outbox.spring.boot.module;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import outbox.idempotency.redis.RedisDispatchGuard;

/** Protection against sending an event twice, in Redis. */
@ConfigurationProperties("outbox.publish-guard")
public class PublishGuardProperties {
    /**
     * Whether routes record sent events in Redis, so that a crash does not send them twice. Requires Redis: spring.data.redis.* or outbox.redis.uri.
     */
    private boolean enabled;

    /** How long to remember that an event was sent. */
    private Duration ttl = RedisDispatchGuard.DEFAULT_TTL;

    /** How long one attempt to send reserves an event. */
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
