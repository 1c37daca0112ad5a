package outbox.spring.boot;

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
        return new RedisTracking(
                OutboxRedis.connect(settings.requireUri("outbox.handlers.tracking is redis")), settings);
    }

    EventConsumptionTracker tracker() {
        return new RedisEventConsumptionTracker(redis.commands(), settings.getTtl());
    }

    @Override
    public void close() {
        redis.close();
    }
}
