package outbox.idempotency.redis;

import io.lettuce.core.Range;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import outbox.domain.handler.EventConsumptionTracker;
import outbox.domain.handler.HandlerOutcome;
import outbox.domain.handler.HandlerProgress;
import outbox.domain.handler.HandlerState;

/**
 * Stores handler progress in Redis: one hash per event, key {@code outbox:consumption:<event id>}, one field per
 * handler. Progress expires after the time to live, which must be longer than an event can be retried. Uses the clock
 * of Redis. Works with a cluster: there are no multi-key operations. Thread-safe.
 *
 * <p>It is not part of database transactions. While Redis is unavailable, events wait and no handler is called; if it
 * fails between a handler's success and its record, that handler is called again: at least once.
 */
public final class RedisEventConsumptionTracker implements EventConsumptionTracker {
    public static final String KEY_PREFIX = "outbox:consumption:";
    /** Default time to live of progress after its last change. */
    public static final Duration DEFAULT_TTL = Duration.ofDays(7);

    private static final String OPEN_HANDLERS = "outbox:consumption-open-handlers";
    private static final String OPEN_EVENTS = "outbox:consumption-open-events:";

    private static final String NOW = """
            local time = redis.call('TIME')
            local now = time[1] * 1000 + math.floor(time[2] / 1000)
            """;
    private static final String PROGRESS = NOW + """
            local fields = redis.call('HGETALL', KEYS[1])
            table.insert(fields, 1, string.format('%.0f', now))
            return fields
            """;
    /** A value is {@code state|attempts|due|updated|error}; done (1) is final, and a success keeps the last error. */
    private static final String RECORD = NOW + """
            local present = redis.call('HGET', KEYS[1], ARGV[1])
            if present and string.sub(present, 1, 2) == '1|' then return 0 end
            local err = ARGV[5]
            if err == '' and present then err = string.match(present, '^%d|%d+|%d+|%d+|(.*)$') or '' end
            redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. '|' .. ARGV[3] .. '|'
              .. string.format('%.0f', now + ARGV[4]) .. '|' .. string.format('%.0f', now) .. '|' .. err)
            redis.call('PEXPIRE', KEYS[1], ARGV[6])
            return 1
            """;

    private static final Pattern VALUE = Pattern.compile("(\\d)\\|(\\d+)\\|(\\d+)\\|(\\d+)\\|(.*)", Pattern.DOTALL);

    private final RedisClusterCommands<String, String> redis;
    private final Duration ttl;

    public RedisEventConsumptionTracker(RedisClusterCommands<String, String> redis) {
        this(redis, DEFAULT_TTL);
    }

    public RedisEventConsumptionTracker(RedisClusterCommands<String, String> redis, Duration ttl) {
        this.redis = Objects.requireNonNull(redis, "redis");
        this.ttl = RedisClaims.positive("ttl", ttl);
    }

    @Override
    public List<HandlerProgress> progressOf(String eventId) {
        List<String> answer = redis.eval(PROGRESS, ScriptOutputType.MULTI, new String[] {KEY_PREFIX + eventId});
        long now = Long.parseLong(answer.get(0));
        List<HandlerProgress> progress = new ArrayList<>();
        for (int i = 1; i + 1 < answer.size(); i += 2) {
            progress.add(progress(eventId, answer.get(i), answer.get(i + 1), now));
        }
        return progress;
    }

    private static HandlerProgress progress(String eventId, String handler, String value, long now) {
        Matcher parts = VALUE.matcher(value);
        if (!parts.matches()) {
            throw new IllegalStateException("key " + KEY_PREFIX + eventId + " does not contain handler progress");
        }
        String error = group(parts, 5);
        return new HandlerProgress(
                eventId,
                handler,
                state(group(parts, 1)),
                Integer.parseInt(group(parts, 2)),
                Duration.ofMillis(Math.max(0, Long.parseLong(group(parts, 3)) - now)),
                error.isEmpty() ? null : error,
                Instant.ofEpochMilli(Long.parseLong(group(parts, 4))));
    }

    private static String group(Matcher parts, int group) {
        return Objects.requireNonNull(parts.group(group));
    }

    @Override
    public void record(Collection<HandlerOutcome> outcomes) {
        for (HandlerOutcome outcome : outcomes) {
            redis.eval(
                    RECORD,
                    ScriptOutputType.INTEGER,
                    new String[] {KEY_PREFIX + outcome.eventId()},
                    outcome.handler(),
                    code(outcome.state()),
                    Integer.toString(outcome.attempts()),
                    Long.toString(outcome.delay().toMillis()),
                    orEmpty(outcome.error()),
                    Long.toString(ttl.toMillis()));
            if (outcome.state().isOpen()) {
                open(outcome);
            } else if (outcome.attempts() > 1) {
                redis.srem(OPEN_EVENTS + outcome.handler(), outcome.eventId());
            }
        }
    }

    /** Index of handler names for the check at startup; a stale name is harmless. */
    private void open(HandlerOutcome outcome) {
        String events = OPEN_EVENTS + outcome.handler();
        redis.sadd(events, outcome.eventId());
        redis.pexpire(events, ttl);
        redis.zadd(OPEN_HANDLERS, (double) System.currentTimeMillis(), outcome.handler());
    }

    @Override
    public void reset(String eventId, String handler) {
        redis.hdel(KEY_PREFIX + eventId, handler);
        redis.srem(OPEN_EVENTS + handler, eventId);
    }

    @Override
    public Set<String> openHandlers() {
        redis.zremrangebyscore(OPEN_HANDLERS, Range.create(0, (double) (System.currentTimeMillis() - ttl.toMillis())));
        Set<String> open = new TreeSet<>();
        for (String handler : redis.zrange(OPEN_HANDLERS, 0, -1)) {
            if (redis.scard(OPEN_EVENTS + handler) > 0) {
                open.add(handler);
            }
        }
        return open;
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    private static String code(HandlerState state) {
        return switch (state) {
            case DONE -> "1";
            case RETRY -> "2";
            case DEAD -> "3";
            case PENDING -> throw new IllegalArgumentException("PENDING is never stored");
        };
    }

    private static HandlerState state(String code) {
        return switch (code) {
            case "1" -> HandlerState.DONE;
            case "2" -> HandlerState.RETRY;
            case "3" -> HandlerState.DEAD;
            default -> throw new IllegalStateException("unknown state " + code + "; known are 1 done, 2 retry, 3 dead");
        };
    }
}
