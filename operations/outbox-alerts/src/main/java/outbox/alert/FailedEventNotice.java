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
 * Tells people about dead events, for applications without a control center. However often the outbox looks, they hear of
 * it when there are more than before, and again after a while as long as there are any. One notice serves one outbox; for
 * several see {@link #forOutbox}. Thread-safe.
 *
 * <pre>{@code
 * JdbcOutbox.multiNode(dataSource)
 *     .failedEventAlert(new FailedEventNotice("orders", channels.dingTalk(url, secret)))…
 * }</pre>
 */
public final class FailedEventNotice implements FailedEventAlert {
    public static final Duration DEFAULT_REMINDER = Duration.ofHours(4);

    private final String application;
    private final AlertChannel channel;
    private final Duration reminder;
    private final InstantSource clock;

    private int told; // guarded by this
    private @Nullable Instant toldAt; // guarded by this

    public FailedEventNotice(String application, AlertChannel channel) {
        this(application, channel, DEFAULT_REMINDER, InstantSource.system());
    }

    public FailedEventNotice(String application, AlertChannel channel, Duration reminder, InstantSource clock) {
        this.application = Objects.requireNonNull(application, "application");
        this.channel = Objects.requireNonNull(channel, "channel");
        this.reminder = Objects.requireNonNull(reminder, "reminder");
        this.clock = Objects.requireNonNull(clock, "clock");
    }

    /** @throws UncheckedIOException if nobody could be told; the next look tries again */
    @Override
    public synchronized void failed(FailedEvents events) {
        Instant now = clock.instant();
        boolean more = events.dead() > told;
        boolean again = toldAt == null || !now.isBefore(toldAt.plus(reminder));
        if (!more && !again) {
            told = events.dead(); // fewer than before: the next one that dies is news
            return;
        }
        try {
            channel.send(message(events));
        } catch (IOException e) {
            throw new UncheckedIOException("could not tell that events are dead; tried again at the next look", e);
        }
        told = events.dead();
        toldAt = now;
    }

    /** The next one that dies is news. */
    @Override
    public synchronized void noneFailed() {
        told = 0;
    }

    /** Remembers on its own what it told, and names the outbox in its messages. */
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
                        events.oldest().stream().limit(3).map(event -> "oldest: " + event.eventId()))
                .toList();
        return new AlertMessage(
                AlertMessage.Kind.PROBLEM,
                "[" + application + "] " + events.dead() + " dead event(s) wait for a person",
                lines,
                null);
    }
}
