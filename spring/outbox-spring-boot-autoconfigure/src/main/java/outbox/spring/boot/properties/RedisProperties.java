package outbox.spring.boot.properties;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Redis, where handlers are tracked there. */
public class RedisProperties {
    /** URI of the Redis server, for example redis://localhost:6379. Required by tracking in Redis and by the publish guard. */
    private @Nullable String uri;

    /** How long to keep the progress of handlers. Must be longer than an event can be retried. */
    private Duration ttl = Duration.ofDays(7); // the tracker's own constant would load Lettuce

    public @Nullable String getUri() {
        return uri;
    }

    /** @param why what needs it, for the message */
    public String requireUri(String why) {
        if (uri == null || uri.isBlank()) {
            throw new IllegalStateException(why + ", but outbox.redis.uri is not set; for instance"
                    + " outbox.redis.uri=redis://localhost:6379");
        }
        return uri;
    }

    public void setUri(@Nullable String uri) {
        this.uri = uri;
    }

    public Duration getTtl() {
        return ttl;
    }

    public void setTtl(Duration ttl) {
        this.ttl = ttl;
    }
}
