package outbox.spring.boot;

import org.springframework.beans.factory.BeanFactory;
import outbox.domain.handler.EventConsumptionTracker;
import outbox.idempotency.redis.OutboxRedis;
import outbox.idempotency.redis.RedisEventConsumptionTracker;
import outbox.spring.boot.properties.PropertyGroup;
import outbox.spring.boot.properties.RedisProperties;

/** Progress of handlers in Redis; in a class of its own, because Lettuce is optional. */
final class RedisTracking {
    private RedisTracking() {}

    static EventConsumptionTracker tracker(BeanFactory beans, RedisProperties settings) {
        OutboxRedis redis = beans.getBean(OutboxRedis.class);
        return new PropertyGroup("outbox.redis")
                .make("ttl", settings.getTtl(), ttl -> new RedisEventConsumptionTracker(redis.commands(), ttl));
    }
}
