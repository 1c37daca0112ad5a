package outbox.testing;

import java.time.Duration;
import java.util.List;
import outbox.Outbox;
import outbox.model.EventStatus;

/**
 * Delivers all due events, including those that handlers publish in turn and retries that become due. It also works if
 * the outbox polls. See {@link Outboxes#drain}.
 */
final class Drain {
    private Drain() {}

    static Outboxes.Drained run(Outbox outbox, EventSource source, Duration timeout) {
        // In this order: while nothing is in flight nothing is published, so no new event can appear after the relay
        // ran.
        Await.until(
                timeout,
                () -> "nothing in flight and nothing due; in flight are "
                        + inFlight(source).stream().map(PublishedEvent::line).toList(),
                () -> inFlight(source).isEmpty() && outbox.relay().recoverOnce().taken() == 0);
        List<PublishedEvent> rows = source.read();
        return new Outboxes.Drained(
                count(rows, EventStatus.DONE),
                count(rows, EventStatus.NEW) + count(rows, EventStatus.RETRY),
                count(rows, EventStatus.DEAD));
    }

    private static List<PublishedEvent> inFlight(EventSource source) {
        return source.read().stream()
                .filter(event -> event.isPending() && event.lockedBy() != null)
                .toList();
    }

    private static int count(List<PublishedEvent> rows, EventStatus status) {
        return (int) rows.stream().filter(row -> row.status() == status).count();
    }
}
