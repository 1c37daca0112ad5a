package outbox.spring.boot.properties;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Redis, for the progress of handlers and the publish guard. */
public class RedisProperties {
    /**
     * URI of the Redis server for tracking and for the publish guard, for example redis://localhost:6379, if the outbox has
     * another than the application. Default: the application's RedisConnectionFactory, connection details or
     * spring.data.redis.*.
     */
    private @Nullable String uri;

    /** How long to keep the progress of handlers. Must be longer than an event can be retried. */
    private Duration ttl = Duration.ofDays(7); // the tracker's own constant would load Lettuce

    public @Nullable String getUri() {
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
