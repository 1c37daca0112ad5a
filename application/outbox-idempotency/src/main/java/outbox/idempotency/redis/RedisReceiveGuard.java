package outbox.idempotency.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.time.Duration;
import outbox.domain.handler.NotNowException;

/**
 * Keeps the work of a received message from running twice, with the key {@code outbox:inbox:<handler>:<message id>}, for
 * work outside of the application's database. If a process dies between the work and its record, the message is processed
 * again after the claim has expired: at least once. Thread-safe.
 *
 * <p>Throws {@link NotNowException} if another process is working on the same message; the broker delivers it again.
 */
public final class RedisReceiveGuard {
    public static final String KEY_PREFIX = "outbox:inbox:";
    /** Default time a message is remembered as processed. */
    public static final Duration DEFAULT_TTL = Duration.ofDays(7);
    /** Default maximum duration of the work. */
    public static final Duration DEFAULT_CLAIM_TIME = Duration.ofMinutes(5);

    /** Maximum length of message ids and handler names. */
    private static final int MAX_LENGTH = 128;

    private final RedisClaims claims;

    public RedisReceiveGuard(RedisClusterCommands<String, String> redis) {
        this(redis, DEFAULT_TTL, DEFAULT_CLAIM_TIME);
    }

    public RedisReceiveGuard(RedisClusterCommands<String, String> redis, Duration ttl, Duration claimTime) {
        this.claims = new RedisClaims(redis, claimTime, ttl);
    }

    /** The processing of a message. */
    @FunctionalInterface
    public interface Work {
        void run() throws Exception;
    }

    /**
     * @param messageId unique id of the message, the same in every delivery
     * @param handlerName name of the consumer; each consumer processes the message once
     * @return {@code false} if it was processed before and nothing was done now
     * @throws IllegalArgumentException if the id or the name is blank or too long; nothing is done then
     */
    public boolean once(String messageId, String handlerName, Work work) throws Exception {
        String key = KEY_PREFIX + requireKey("handlerName", handlerName) + ":" + requireKey("messageId", messageId);
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

    private static String requireKey(String what, String value) {
        if (value.isBlank() || value.length() > MAX_LENGTH || !value.equals(value.strip())) {
            throw new IllegalArgumentException(what + " has " + value.length() + " characters; it needs 1 to "
                    + MAX_LENGTH + ", without blanks around: '"
                    + value.substring(0, Math.min(40, value.length())) + "'");
        }
        return value;
    }
}
