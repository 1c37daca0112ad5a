package outbox.idempotency.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import outbox.AsyncEventListener;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.domain.handler.NotNowException;
import outbox.util.DaemonThreadFactory;

/**
 * Prevents a listener from sending an event twice, as long as Redis remembers it, 24 hours by default: key {@code
 * outbox:dispatched:<event id>}, with the name of the listener before the id if it has one. Thread-safe.
 *
 * <pre>{@code
 * EventListener once = new RedisDispatchGuard(redis.commands()).guard(webhook);
 * }</pre>
 *
 * <p>It narrows the gap between sending and recording, but cannot close it: if the process dies in between, the event
 * is sent again. While Redis is unavailable nothing is sent, and events are released.
 */
public final class RedisDispatchGuard {
    public static final String KEY_PREFIX = "outbox:dispatched:";
    /** Default time an event is remembered as sent. */
    public static final Duration DEFAULT_TTL = Duration.ofHours(24);
    /** Default maximum duration of one send. */
    public static final Duration DEFAULT_CLAIM_TIME = Duration.ofMinutes(1);

    private static final Logger LOG = System.getLogger(RedisDispatchGuard.class.getName());
    private static final Duration REDIS_PAUSE = Duration.ofSeconds(5);

    private static final int THREADS = 4;

    private final RedisClaims claims;
    private final AtomicBoolean away = new AtomicBoolean();
    private final Executor threads = threads();

    public RedisDispatchGuard(RedisClusterCommands<String, String> redis) {
        this(redis, DEFAULT_TTL, DEFAULT_CLAIM_TIME);
    }

    public RedisDispatchGuard(RedisClusterCommands<String, String> redis, Duration ttl, Duration claimTime) {
        this.claims = new RedisClaims(redis, claimTime, ttl);
    }

    /** Guards a listener that is the only guarded one for its events. */
    public EventListener guard(EventListener listener) {
        return guarded(KEY_PREFIX, listener);
    }

    /** Guards one of several listeners of an event: each has its own record. */
    public EventListener guard(String name, EventListener listener) {
        return guarded(KEY_PREFIX + Objects.requireNonNull(name, "name") + ":", listener);
    }

    private EventListener guarded(String prefix, EventListener listener) {
        Objects.requireNonNull(listener, "listener");
        if (listener instanceof AsyncEventListener async) {
            return (AsyncEventListener) event -> begin(event, prefix + event.eventId(), async);
        }
        return event -> deliver(event, prefix + event.eventId(), listener);
    }

    private void deliver(EventEnvelope event, String key, EventListener listener) throws Exception {
        RedisClaims.Claim.Granted granted = claim(event, key);
        if (granted == null) {
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

    /** Redis is updated on a separate thread: the completing thread may be a network thread. */
    private CompletionStage<?> begin(EventEnvelope event, String key, AsyncEventListener listener) throws Exception {
        RedisClaims.Claim.Granted granted = claim(event, key);
        if (granted == null) {
            return CompletableFuture.completedFuture(key);
        }
        CompletionStage<?> answer;
        try {
            answer = listener.onEventAsync(event);
        } catch (Throwable e) {
            release(key, granted, e);
            throw e;
        }
        return answer.whenCompleteAsync(
                (done, failure) -> {
                    if (failure == null) {
                        finish(event, key, granted);
                    } else {
                        release(key, granted, failure);
                    }
                },
                threads);
    }

    private static Executor threads() {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                30,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                new DaemonThreadFactory("outbox-guard-"));
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /** @return {@code null} if the event was sent before */
    private RedisClaims.Claim.@Nullable Granted claim(EventEnvelope event, String key) {
        RedisClaims.Claim claim = askFor(event, key);
        if (claim instanceof RedisClaims.Claim.Busy busy) {
            throw new NotNowException(busy.left(), "another process is sending event " + event.eventId());
        }
        if (claim instanceof RedisClaims.Claim.Granted granted) {
            return granted;
        }
        LOG.log(Level.INFO, () -> "event " + event + " was already sent; not sent again");
        return null;
    }

    private RedisClaims.Claim askFor(EventEnvelope event, String key) {
        try {
            RedisClaims.Claim claim = claims.claim(key);
            if (away.compareAndSet(true, false)) {
                LOG.log(Level.INFO, "Redis is available again; waiting events are sent");
            }
            return claim;
        } catch (RedisException e) {
            if (away.compareAndSet(false, true)) {
                LOG.log(
                        Level.WARNING,
                        "Redis is unavailable: nothing is sent until it is back, events wait in the table",
                        e);
            }
            throw new NotNowException(
                    REDIS_PAUSE, "Redis is unavailable: event " + event.eventId() + " was not sent and is released", e);
        }
    }

    /** The event was sent: a Redis failure must not turn this into a failed attempt. */
    private void finish(EventEnvelope event, String key, RedisClaims.Claim.Granted granted) {
        try {
            claims.finish(key, granted.token());
        } catch (RedisException e) {
            LOG.log(
                    Level.WARNING,
                    "event " + event
                            + " was sent, but this could not be recorded in Redis; a second delivery would send it again",
                    e);
        }
    }

    private void release(String key, RedisClaims.Claim.Granted granted, Throwable failure) {
        try {
            claims.release(key, granted.token());
        } catch (RedisException e) {
            failure.addSuppressed(e); // the claim expires
        }
    }
}
