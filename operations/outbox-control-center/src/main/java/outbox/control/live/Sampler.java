package outbox.control.live;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import outbox.control.source.Application;
import outbox.control.source.ErrorGroups;
import outbox.control.source.EventReader;
import outbox.control.source.EventState;
import outbox.util.DaemonThreadFactory;
import outbox.util.FailureLog;
import outbox.util.Loop;

/**
 * Looks at one application and keeps what it saw, for everybody who watches: every few seconds while somebody does, and
 * once a minute otherwise, so that a page nobody looks at costs next to nothing. Nobody else asks the database for these
 * figures. Thread-safe.
 */
public final class Sampler implements AutoCloseable {
    private static final Logger LOG = System.getLogger(Sampler.class.getName());
    private static final int KEPT = 720;
    /** How often it looks while nobody watches. */
    private static final Duration UNWATCHED_INTERVAL = Duration.ofMinutes(1);
    /** Whoever asked within this time is taken for somebody who watches. */
    private static final Duration WATCHED_FOR = Duration.ofSeconds(30);

    private final Application application;
    private final EventReader reader;
    private final RecentRows recent;
    private final ErrorGroups errors;
    private final Duration interval;
    private final Deque<Sample> samples = new ArrayDeque<>(); // guarded by this
    private final Loop loop;
    private boolean closed; // guarded by this
    private long lookedAt; // guarded by this
    private long askedAt; // guarded by this
    private boolean asked; // guarded by this
    private volatile @Nullable String problem;
    private final FailureLog failures;
    private final FailureLog errorFailures;

    public Sampler(Application application, EventReader reader, ErrorGroups errors, Duration interval) {
        this.application = application;
        this.reader = reader;
        this.recent = new RecentRows(application);
        this.errors = errors;
        this.interval = interval;
        this.failures = new FailureLog(LOG, Level.WARNING, "looking at " + application);
        this.errorFailures = new FailureLog(LOG, Level.WARNING, "grouping the errors of " + application);
        this.loop =
                new Loop("sampler of " + application, new DaemonThreadFactory("outbox-control-sampler-"), this::turn);
    }

    public Sampler start() {
        loop.start();
        return this;
    }

    private boolean turn() throws InterruptedException {
        try {
            lookAndTell();
        } catch (SQLException | RuntimeException e) {
            failures.failed("cannot look at " + application + "; tried again every " + interval.toSeconds() + " s", e);
            fail("cannot read the outbox table: " + e.getClass().getSimpleName());
        }
        return awaitNextLook();
    }

    private synchronized boolean awaitNextLook() throws InterruptedException {
        lookedAt = System.nanoTime();
        long left = pause();
        while (!closed && left > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
            left = pause();
        }
        return !closed;
    }

    /** How long until the next look; shorter as soon as somebody watches. */
    private long pause() {
        Duration between = isWatched() || interval.compareTo(UNWATCHED_INTERVAL) > 0 ? interval : UNWATCHED_INTERVAL;
        return lookedAt + between.toNanos() - System.nanoTime();
    }

    private boolean isWatched() {
        return asked && System.nanoTime() - askedAt < WATCHED_FOR.toNanos();
    }

    /** Somebody looks at the figures, and goes on doing so for a while. */
    private void watched() {
        boolean before = isWatched();
        asked = true;
        askedAt = System.nanoTime();
        if (!before) {
            notifyAll();
        }
    }

    private void lookAndTell() throws SQLException {
        Sample sample = look();
        failures.succeeded();
        problem = null; // before those who watch are woken: they look at it
        add(sample);
        try {
            errors.refresh();
            errorFailures.succeeded();
        } catch (SQLException | RuntimeException e) { // the figures are right all the same
            errorFailures.failed("cannot group the errors of " + application + "; tried again", e);
        }
    }

    private synchronized void fail(String why) {
        problem = why;
        notifyAll();
    }

    /** Looks now, on the caller's thread. */
    Sample look() throws SQLException {
        Map<EventState, Integer> counts = reader.counts();
        EventReader.Later later = application.isDeliveredFromLog() ? new EventReader.Later(0, 0) : reader.later();
        Duration oldest = reader.oldestPendingAge();
        try (Connection conn = application.dataSource().getConnection()) {
            Instant now = application.flavor().clock(conn);
            List<RecentRows.Delivered> delivered = recent.delivered(conn, now);
            List<Double> lags =
                    delivered.stream().map(RecentRows.Delivered::lagMillis).toList();
            return new Sample(
                    now,
                    Math.max(0, counts.getOrDefault(EventState.NEW, 0) - later.scheduled() - later.heldBack()),
                    later.scheduled(),
                    later.heldBack(),
                    counts.getOrDefault(EventState.RETRY, 0),
                    counts.getOrDefault(EventState.DEAD, 0),
                    counts.getOrDefault(EventState.DONE, 0),
                    oldest == null ? 0 : oldest.toMillis() / 1000.0,
                    recent.writtenPerMinute(conn, now),
                    RecentRows.perMinute(
                            delivered.stream().map(RecentRows.Delivered::doneAt).toList(), now),
                    recent.failedPerMinute(conn, now),
                    RecentRows.percentile(lags, 0.5),
                    RecentRows.percentile(lags, 0.95));
        }
    }

    private synchronized void add(Sample sample) {
        samples.addLast(sample);
        if (samples.size() > KEPT) {
            samples.removeFirst();
        }
        notifyAll();
    }

    /** Oldest first. */
    public synchronized List<Sample> samples() {
        watched();
        return new ArrayList<>(samples);
    }

    /**
     * What was seen last, for somebody who looks again and again, as rules of alerts do.
     *
     * @return {@code null} if there is none yet
     */
    public synchronized @Nullable Sample last() {
        watched();
        return samples.peekLast();
    }

    /**
     * Waits for a sample newer than {@code seen}, or for a {@link #problem} other than {@code told}.
     *
     * @return {@code null} if there is no such sample: none came in time, there is a problem, or this was closed
     */
    public synchronized @Nullable Sample next(@Nullable Instant seen, @Nullable String told, Duration patience)
            throws InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        while (!closed) {
            watched();
            Sample last = samples.peekLast();
            if (last != null && (seen == null || last.at().isAfter(seen))) {
                return last;
            }
            long left = end - System.nanoTime();
            if (left <= 0 || (problem != null && !problem.equals(told))) {
                return null;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return null;
    }

    /** Why there is nothing new; {@code null} if all is well. */
    public @Nullable String problem() {
        synchronized (this) {
            watched();
        }
        return problem;
    }

    public synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
    }
}
