package outbox.spring.boot;

import outbox.domain.handler.EventConsumptionTracker;
import outbox.idempotency.redis.OutboxRedis;
import outbox.idempotency.redis.RedisEventConsumptionTracker;
import outbox.spring.boot.properties.PropertyGroup;
import outbox.spring.boot.properties.RedisProperties;

/** Progress of handlers in Redis; in a class of its own, because Lettuce is optional. */
final class RedisTracking implements AutoCloseable {
    private final OutboxRedis redis;
    private final RedisProperties settings;

    private RedisTracking(OutboxRedis redis, RedisProperties settings) {
        this.redis = redis;
        this.settings = settings;
    }

    static RedisTracking connect(RedisProperties settings) {
        return new RedisTracking(
                OutboxRedis.connect(settings.requireUri("outbox.handlers.tracking is redis")), settings);
    }

    EventConsumptionTracker tracker() {
        return new PropertyGroup("outbox.redis")
                .make("ttl", settings.getTtl(), ttl -> new RedisEventConsumptionTracker(redis.commands(), ttl));
    }

    @Override
    public void close() {
        redis.close();
    }
}
