package outbox.idempotency.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.time.Duration;
import outbox.domain.handler.NotNowException;
import outbox.idempotency.Inbox;

/**
 * An inbox in Redis, key {@code outbox:inbox:<handler>:<message id>}, for work outside of the application's database.
 * If a process dies between the work and its record, the message is processed again after the claim has expired: at
 * least once. Thread-safe.
 *
 * <p>Throws {@link NotNowException} if another process is working on the same message; the broker delivers it again.
 */
public final class RedisInbox implements Inbox {
    public static final String KEY_PREFIX = "outbox:inbox:";
    /** Default time a message is remembered as processed. */
    public static final Duration DEFAULT_TTL = Duration.ofDays(7);
    /** Default maximum duration of the work. */
    public static final Duration DEFAULT_CLAIM_TIME = Duration.ofMinutes(5);

    private final RedisClaims claims;

    public RedisInbox(RedisClusterCommands<String, String> redis) {
        this(redis, DEFAULT_TTL, DEFAULT_CLAIM_TIME);
    }

    public RedisInbox(RedisClusterCommands<String, String> redis, Duration ttl, Duration claimTime) {
        this.claims = new RedisClaims(redis, claimTime, ttl);
    }

    @Override
    public boolean once(String messageId, String handlerName, Work work) throws Exception {
        String key = KEY_PREFIX + Inbox.requireKey("handlerName", handlerName) + ":"
                + Inbox.requireKey("messageId", messageId);
        RedisClaims.Claim claim = claims.claim(key);
        if (claim instanceof RedisClaims.Claim.Busy busy) {
            throw new NotNowException(
                    busy.left(), "another process is working on message " + messageId + " for " + handlerName);
        }
        if (!(claim instanceof RedisClaims.Claim.Granted granted)) {
            return false;
        }
        try {
            work.run();
        } catch (Throwable e) {
            try {
                claims.release(key, granted.token());
            } catch (RedisException suppressed) {
                e.addSuppressed(suppressed); // the claim expires
            }
            throw e;
        }
        claims.finish(key, granted.token());
        return true;
    }
}
