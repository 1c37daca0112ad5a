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
 * Keeps a listener from sending an event twice, as long as Redis remembers it, 24 hours by default: key
 * {@code outbox:dispatched:<event id>}, with the name of the listener before the id if it has one. Thread-safe.
 *
 * <pre>{@code
 * EventListener once = new RedisDispatchGuard(redis.commands()).guard(webhook);
 * }</pre>
 *
 * <p>It narrows the gap between sending and remembering, it cannot close it: a process that dies in between sends
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

    /** The only listener of its events behind this guard. */
    public EventListener guard(EventListener listener) {
        return guarded(KEY_PREFIX, listener);
    }

    /** One of several listeners of an event: what counts as sent by one says nothing of the others. */
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

    /** Redis is told on a thread of its own: the one that brings the answer may be the network's. */
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
            throw new NotNowException(busy.left(), "somebody else is sending event " + event.eventId());
        }
        if (claim instanceof RedisClaims.Claim.Granted granted) {
            return granted;
        }
        LOG.log(Level.INFO, () -> "event " + event + " was sent before; not sent again");
        return null;
    }

    private RedisClaims.Claim askFor(EventEnvelope event, String key) {
        try {
            RedisClaims.Claim claim = claims.claim(key);
            if (away.compareAndSet(true, false)) {
                LOG.log(Level.INFO, "Redis is back; what waited is sent");
            }
            return claim;
        } catch (RedisException e) {
            if (away.compareAndSet(false, true)) {
                LOG.log(Level.WARNING, "Redis is away: nothing is sent until it is back, events wait in the table", e);
            }
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
