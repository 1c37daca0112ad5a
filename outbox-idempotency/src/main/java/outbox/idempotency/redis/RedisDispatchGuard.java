package outbox.idempotency.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.domain.handler.NotNowException;

/**
 * Keeps a listener from sending an event twice, as long as Redis remembers it: key {@code outbox:dispatched:<event id>},
 * 24 hours by default. Thread-safe.
 *
 * <pre>{@code
 * EventListener once = new RedisDispatchGuard(redis.commands()).guard(webhook);
 * }</pre>
 *
 * <p>It narrows the gap between sending and remembering, it can not close it: a process that dies in between sends
 * again. While Redis is away nothing is sent, and the event comes back.
 */
public final class RedisDispatchGuard {
    public static final String KEY_PREFIX = "outbox:dispatched:";
    /** How long an event counts as sent. */
    public static final Duration DEFAULT_TTL = Duration.ofHours(24);
    /** How long one attempt to send may take. */
    public static final Duration DEFAULT_CLAIM_TIME = Duration.ofMinutes(1);

    private static final Logger LOG = System.getLogger(RedisDispatchGuard.class.getName());
    private static final Duration REDIS_PAUSE = Duration.ofSeconds(5);

    private final RedisClaims claims;

    public RedisDispatchGuard(RedisClusterCommands<String, String> redis) {
        this(redis, DEFAULT_TTL, DEFAULT_CLAIM_TIME);
    }

    public RedisDispatchGuard(RedisClusterCommands<String, String> redis, Duration ttl, Duration claimTime) {
        this.claims = new RedisClaims(redis, claimTime, ttl);
    }

    /** The listener behind this guard. */
    public EventListener guard(EventListener listener) {
        Objects.requireNonNull(listener, "listener");
        return event -> deliver(event, listener);
    }

    private void deliver(EventEnvelope event, EventListener listener) throws Exception {
        String key = KEY_PREFIX + event.eventId();
        RedisClaims.Claim claim = claim(event, key);
        if (claim instanceof RedisClaims.Claim.Busy busy) {
            throw new NotNowException(busy.left(), "somebody else is sending event " + event.eventId());
        }
        if (!(claim instanceof RedisClaims.Claim.Granted granted)) {
            LOG.log(Level.INFO, () -> "event " + event + " was sent before; not sent again");
            return;
        }
        try {
            listener.onEvent(event);
        } catch (Throwable e) {
            release(key, granted, e);
            throw e;
        }
        finish(event, key, granted);
    }

    private RedisClaims.Claim claim(EventEnvelope event, String key) {
        try {
            return claims.claim(key);
        } catch (RedisException e) {
            throw new NotNowException(
                    REDIS_PAUSE, "Redis is away: event " + event.eventId() + " is not sent, and comes back", e);
        }
    }

    /** Sent is sent: Redis failing now must not make it a failure. */
    private void finish(EventEnvelope event, String key, RedisClaims.Claim.Granted granted) {
        try {
            claims.finish(key, granted.token());
        } catch (RedisException e) {
            LOG.log(
                    Level.WARNING,
                    "event " + event + " was sent, but Redis could not be told; if it comes again, it is sent again",
                    e);
        }
    }

    private void release(String key, RedisClaims.Claim.Granted granted, Throwable failure) {
        try {
            claims.release(key, granted.token());
        } catch (RedisException e) {
            failure.addSuppressed(e); // the claim ends by itself
        }
    }
}
