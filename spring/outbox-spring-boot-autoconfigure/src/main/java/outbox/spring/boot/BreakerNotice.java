package outbox.spring.boot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import outbox.alert.AlertChannel;
import outbox.alert.AlertMessage;
import outbox.spring.boot.BreakerAlerts.BreakerAlert;

/**
 * Sends alerts about open circuit breakers to one channel: one message for all that opened since the last look, a reminder
 * after a while as long as any is open, and one for all that closed. Thread-safe.
 */
final class BreakerNotice implements BreakerAlert {
    private static final String RUNBOOK = "docs/runbooks/breaker-open.md";

    private final String application;
    private final AlertChannel channel;
    private final Duration reminder;
    private final InstantSource clock;

    private final Set<String> reported = new TreeSet<>(); // guarded by this
    private @Nullable Instant reportedAt; // guarded by this

    BreakerNotice(String application, AlertChannel channel, Duration reminder, InstantSource clock) {
        this.application = application;
        this.channel = channel;
        this.reminder = reminder;
        this.clock = clock;
    }

    /** @throws UncheckedIOException if a message could not be sent; the next look tries again */
    @Override
    public synchronized void look(Set<String> open, Set<String> elected) {
        Set<String> closed = new TreeSet<>(reported);
        closed.removeAll(open);
        if (!closed.isEmpty()) {
            send(AlertMessage.Kind.RECOVERY, "circuit breaker closed: " + String.join(", ", closed), List.of());
            reported.removeAll(closed);
        }
        Instant now = clock.instant();
        boolean again = reportedAt != null && !now.isBefore(reportedAt.plus(reminder));
        if (!reported.containsAll(elected) || (again && !elected.isEmpty())) {
            send(
                    AlertMessage.Kind.PROBLEM,
                    "circuit breaker open: " + String.join(", ", elected),
                    List.of(
                            "Too many deliveries failed in a row.",
                            "Events wait in the table, no attempts are counted, and one event is tried at intervals."
                                    + " When it succeeds, the others follow.",
                            "what to do: " + RUNBOOK));
            reported.addAll(elected);
            reportedAt = now;
        }
    }

    private void send(AlertMessage.Kind kind, String title, List<String> lines) {
        try {
            channel.send(new AlertMessage(kind, "[" + application + "] " + title, lines, null));
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "could not send the alert \"" + title + "\"; retrying at the next look: " + e.getMessage(), e);
        }
    }
}
