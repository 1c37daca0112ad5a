package outbox.idempotency.redis;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.time.Duration;
import java.util.Objects;
import outbox.util.Ulid;

/**
 * Claims for work that is done once per key. During the work the key holds the token of its owner, for a limited time,
 * so that a dead process does not block it forever; afterwards it is marked as done until it expires. Thread-safe.
 */
final class RedisClaims {
    private static final String DONE = "done";
    /** Only the owner may change a claim: it may have expired and be held by another process. */
    private static final String FINISH = """
            if redis.call('GET', KEYS[1]) == ARGV[1] then
              return redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
            end
            return redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3], 'NX')
            """;

    private static final String RELEASE = """
            if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
            return 0
            """;

    private final RedisClusterCommands<String, String> redis;
    private final Duration claimTime;
    private final Duration ttl;

    /**
     * @param claimTime maximum duration of the work
     * @param ttl how long a completed key is remembered
     */
    RedisClaims(RedisClusterCommands<String, String> redis, Duration claimTime, Duration ttl) {
        this.redis = Objects.requireNonNull(redis, "redis");
        this.claimTime = positive("claimTime", claimTime);
        this.ttl = positive("ttl", ttl);
    }

    /** Result of claiming a key. */
    sealed interface Claim {
        record Granted(String token) implements Claim {}

        record Done() implements Claim {}

        /** @param left time until the other claim expires */
        record Busy(Duration left) implements Claim {}
    }

    Claim claim(String key) {
        String token = Ulid.next();
        // Twice: the key may expire between the two commands.
        for (int tries = 0; tries < 2; tries++) {
            if ("OK".equals(redis.set(key, token, SetArgs.Builder.nx().px(claimTime)))) {
                return new Claim.Granted(token);
            }
            String value = redis.get(key);
            if (DONE.equals(value)) {
                return new Claim.Done();
            }
            if (value != null) {
                return new Claim.Busy(Duration.ofMillis(Math.max(1, redis.pttl(key))));
            }
        }
        return new Claim.Busy(Duration.ofMillis(1));
    }

    void finish(String key, String token) {
        redis.eval(FINISH, ScriptOutputType.VALUE, new String[] {key}, token, DONE, Long.toString(ttl.toMillis()));
    }

    void release(String key, String token) {
        redis.eval(RELEASE, ScriptOutputType.INTEGER, new String[] {key}, token);
    }

    static Duration positive(String what, Duration duration) {
        if (duration.toMillis() <= 0) {
            throw new IllegalArgumentException(what + " must be at least a millisecond: " + duration);
        }
        return duration;
    }
}
