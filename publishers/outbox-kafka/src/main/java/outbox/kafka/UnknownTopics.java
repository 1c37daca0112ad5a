package outbox.kafka;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import outbox.NotAttemptedException;

/**
 * Topics no broker has told about. Whoever sends to one of them waits for {@code max.block.ms}, and the workers that wait
 * are missing everywhere else. So after one has waited in vain the events of that topic stay in the table for a while;
 * then one of them asks again. Times are ticks, in nanoseconds. Thread-safe.
 */
final class UnknownTopics {
    static final Duration PAUSE = Duration.ofSeconds(10);

    private final ConcurrentMap<String, Long> askAgainAt = new ConcurrentHashMap<>();

    /** @throws NotAttemptedException if the topic is better left alone now */
    void check(String topic, long now) {
        Long at = askAgainAt.get(topic);
        if (at == null || (now - at >= 0 && askAgainAt.replace(topic, at, now + PAUSE.toNanos()))) {
            return;
        }
        Duration wait = Duration.ofNanos(Math.max(0, at - now));
        throw new NotAttemptedException(wait, "no broker knows the topic " + topic + "; it is asked for again", null);
    }

    /** @return whether this is news */
    boolean add(String topic, long now) {
        return askAgainAt.put(topic, now + PAUSE.toNanos()) == null;
    }

    void remove(String topic) {
        if (!askAgainAt.isEmpty()) {
            askAgainAt.remove(topic);
        }
    }
}
