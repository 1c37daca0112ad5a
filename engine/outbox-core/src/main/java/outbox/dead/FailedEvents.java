package outbox.dead;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.model.OutboxEvent;

/**
 * What a look at the table found.
 *
 * @param dead how many events are dead
 * @param oldest a few of them, oldest first
 * @param oldestPending how long the oldest undelivered event has been due; {@code null} if there is none
 */
public record FailedEvents(
        int dead, List<OutboxEvent> oldest, @Nullable Duration oldestPending) {
    public FailedEvents {
        oldest = List.copyOf(oldest);
    }
}
