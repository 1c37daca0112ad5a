package outbox.spring.boot.module;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.idempotency.redis.OutboxRedis;

/**
 * How the application itself connects to Redis.
 *
 * @param origin where that is configured, for messages
 * @param open {@code null} if no server is named
 * @param problem why there is none, if there is none
 */
record RedisConnection(String origin, @Nullable Supplier<OutboxRedis> open, String problem) {
    static RedisConnection of(String origin, Supplier<OutboxRedis> open) {
        return new RedisConnection(origin, open, "");
    }

    static RedisConnection none(String origin, String problem) {
        return new RedisConnection(origin, null, problem);
    }
}
