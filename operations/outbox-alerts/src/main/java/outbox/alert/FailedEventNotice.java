package outbox.alert;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.dead.FailedEventAlert;
import outbox.dead.FailedEvents;

/**
 * Sends alerts about dead events, for applications without a control center. However often the outbox looks, there is one
 * message when there are more than before, a reminder after a while as long as there are any, and one when none is left.
 * One notice serves one outbox; for several see {@link #forOutbox}. Thread-safe.
 *
 * <pre>{@code
 * JdbcOutbox.multiNode(dataSource)
 *     .failedEventAlert(new FailedEventNotice("orders", channels.dingTalk(url, secret)))…
 * }</pre>
 */
public final class FailedEventNotice implements FailedEventAlert {
    public static final Duration DEFAULT_REMINDER = Duration.ofHours(4);

    private static final String RUNBOOK = "docs/runbooks/dead-letters.md";

    private final String application;
    private final AlertChannel channel;
    private final Duration reminder;
    private final InstantSource clock;

    private int reported; // guarded by this
    private @Nullable Instant reportedAt; // guarded by this

    public FailedEventNotice(String application, AlertChannel channel) {
        this(application, channel, DEFAULT_REMINDER, InstantSource.system());
    }

    /** @throws IllegalArgumentException if the interval between reminders is not positive */
    public FailedEventNotice(String application, AlertChannel channel, Duration reminder, InstantSource clock) {
        this.application = Objects.requireNonNull(application, "application");
        this.channel = Objects.requireNonNull(channel, "channel");
        this.reminder = Objects.requireNonNull(reminder, "reminder");
        if (reminder.isNegative() || reminder.isZero()) {
            throw new IllegalArgumentException("the interval between reminders must be positive: " + reminder);
        }
        this.clock = Objects.requireNonNull(clock, "clock");
    }

    /** @throws UncheckedIOException if it could not be sent; the next look tries again */
    @Override
    public synchronized void failed(FailedEvents events) {
        Instant now = clock.instant();
        boolean more = events.dead() > reported;
        boolean again = reportedAt == null || !now.isBefore(reportedAt.plus(reminder));
        if (!more && !again) {
            reported = events.dead(); // fewer than before: the next one that dies is news
            return;
        }
        send(message(events));
        reported = events.dead();
        reportedAt = now;
    }

    /**
     * Sends the recovery of what was reported; the next one that dies is news.
     *
     * @throws UncheckedIOException if it could not be sent; the next look tries again
     */
    @Override
    public synchronized void noneFailed() {
        if (reportedAt != null) {
            send(new AlertMessage(
                    AlertMessage.Kind.RECOVERY, "[" + application + "] no dead events are left", List.of(), null));
        }
        reported = 0;
        reportedAt = null;
    }

    private void send(AlertMessage message) {
        try {
            channel.send(message);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "could not send the alert \"" + message.title() + "\"; retrying at the next look: "
                            + e.getMessage(),
                    e);
        }
    }

    /** Remembers on its own what it reported, and names the outbox in its messages. */
    @Override
    public FailedEventNotice forOutbox(String outbox) {
        return new FailedEventNotice(
                application + " / " + Objects.requireNonNull(outbox, "outbox"), channel, reminder, clock);
    }

    private AlertMessage message(FailedEvents events) {
        List<String> lines = Stream.concat(
                        events.oldest().stream()
                                .collect(Collectors.groupingBy(event -> event.eventType(), Collectors.counting()))
                                .entrySet()
                                .stream()
                                .map(entry -> entry.getKey() + ": " + entry.getValue() + " of the oldest "
                                        + events.oldest().size()),
                        Stream.concat(
                                events.oldest().stream().limit(3).map(event -> "oldest: " + event.eventId()),
                                Stream.of("what to do: " + RUNBOOK)))
                .toList();
        return new AlertMessage(
                AlertMessage.Kind.PROBLEM,
                "[" + application + "] " + events.dead() + " dead event(s) wait for a person",
                lines,
                null);
    }
}
