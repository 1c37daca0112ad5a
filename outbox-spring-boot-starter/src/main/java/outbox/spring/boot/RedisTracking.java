package outbox.spring.boot;

import org.jspecify.annotations.Nullable;
import outbox.domain.handler.EventConsumptionTracker;
import outbox.idempotency.redis.OutboxRedis;
import outbox.idempotency.redis.RedisEventConsumptionTracker;

/** Progress of handlers in Redis; in a class of its own, because Lettuce is optional. */
final class RedisTracking implements AutoCloseable {
    private final OutboxRedis redis;
    private final OutboxProperties.Redis settings;

    private RedisTracking(OutboxRedis redis, OutboxProperties.Redis settings) {
        this.redis = redis;
        this.settings = settings;
    }

    static RedisTracking connect(OutboxProperties.Redis settings) {
        @Nullable String uri = settings.getUri();
        if (uri == null || uri.isBlank()) {
            throw new IllegalStateException("outbox.handlers.tracking is redis, but outbox.redis.uri is not set; for"
                    + " instance outbox.redis.uri=redis://localhost:6379");
        }
        return new RedisTracking(OutboxRedis.connect(uri), settings);
    }

    EventConsumptionTracker tracker() {
        return new RedisEventConsumptionTracker(redis.commands(), settings.getTtl());
    }

    @Override
    public void close() {
        redis.close();
    }
}
