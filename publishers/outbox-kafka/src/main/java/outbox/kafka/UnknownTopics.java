package outbox.kafka;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import outbox.NotAttemptedException;

/**
 * Topics without metadata. Sending to one of them blocks a worker for {@code max.block.ms}. So after one timeout the
 * events of that topic are released for a while; then one of them tries again. Times are in nanoseconds. Thread-safe.
 */
final class UnknownTopics {
    static final Duration PAUSE = Duration.ofSeconds(10);

    private final ConcurrentMap<String, Long> askAgainAt = new ConcurrentHashMap<>();

    /** @throws NotAttemptedException if the topic should not be tried now */
    void check(String topic, long now) {
        Long at = askAgainAt.get(topic);
        if (at == null || (now - at >= 0 && askAgainAt.replace(topic, at, now + PAUSE.toNanos()))) {
            return;
        }
        Duration wait = Duration.ofNanos(Math.max(0, at - now));
        throw new NotAttemptedException(wait, "no metadata for topic " + topic + "; retrying later", null);
    }

    /** @return whether the topic was not known to be missing before */
    boolean add(String topic, long now) {
        return askAgainAt.put(topic, now + PAUSE.toNanos()) == null;
    }

    void remove(String topic) {
        if (!askAgainAt.isEmpty()) {
            askAgainAt.remove(topic);
        }
    }
}
