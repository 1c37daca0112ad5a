package outbox.testing;

import java.time.Duration;
import java.util.List;
import outbox.Outbox;
import outbox.model.EventStatus;

/**
 * Delivers what is due, until nothing more is: also what those who got an event published in turn, and retries whose time has
 * come. It works beside an outbox that polls by itself. See {@link Outboxes#drain}.
 */
final class Drain {
    private Drain() {}

    static Outboxes.Drained run(Outbox outbox, EventSource source, Duration timeout) {
        // In this order: while nothing is in hand nobody publishes, so nothing new can come up behind the relay.
        Await.until(
                timeout,
                () -> "nothing in hand and nothing due; in hand are "
                        + inHand(source).stream().map(PublishedEvent::line).toList(),
                () -> inHand(source).isEmpty() && outbox.relay().recoverOnce().taken() == 0);
        List<PublishedEvent> rows = source.read();
        return new Outboxes.Drained(
                count(rows, EventStatus.DONE),
                count(rows, EventStatus.NEW) + count(rows, EventStatus.RETRY),
                count(rows, EventStatus.DEAD));
    }

    private static List<PublishedEvent> inHand(EventSource source) {
        return source.read().stream()
                .filter(event -> event.isPending() && event.lockedBy() != null)
                .toList();
    }

    private static int count(List<PublishedEvent> rows, EventStatus status) {
        return (int) rows.stream().filter(row -> row.status() == status).count();
    }
}
