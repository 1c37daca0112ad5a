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
import outbox.control.source.HoldReader;
import outbox.control.source.NodeReader;
import outbox.util.DaemonThreadFactory;
import outbox.util.FailureLog;
import outbox.util.Loop;

/**
 * Samples the metrics of one application for all open pages: every few seconds while a page is open, once a minute
 * otherwise, so that an unused control center costs next to nothing. Thread-safe.
 */
public final class Sampler implements AutoCloseable {
    private static final Logger LOG = System.getLogger(Sampler.class.getName());
    private static final int KEPT = 720;
    /** Nodes that are silent for longer do not count as alive. */
    private static final int SILENT_SECONDS = 30;
    /** Interval while no page is open. */
    private static final Duration UNWATCHED_INTERVAL = Duration.ofMinutes(1);
    /** A page counts as open for this long after its last request. */
    private static final Duration WATCHED_FOR = Duration.ofSeconds(30);

    private final Application application;
    private final EventReader reader;
    private final RecentRows recent;
    private final ErrorGroups errors;
    private final NodeReader nodes;
    private final HoldReader holds;
    private final NodeRates rates = new NodeRates(); // used by the loop alone
    private final MinuteOfSamples minute; // used by the loop alone
    private final Duration interval;
    private final Deque<Sample> samples = new ArrayDeque<>(); // guarded by this
    private final Loop loop;
    private volatile List<TypeLag> types = List.of();
    private boolean closed; // guarded by this
    private long lookedAt; // guarded by this
    private long askedAt; // guarded by this
    private boolean asked; // guarded by this
    private volatile @Nullable String problem;
    private final FailureLog failures;
    private final FailureLog errorFailures;
    private final FailureLog historyFailures;

    /** @param history where the metrics of each minute are kept */
    public Sampler(
            Application application,
            EventReader reader,
            ErrorGroups errors,
            NodeReader nodes,
            History history,
            Duration interval) {
        this.application = application;
        this.reader = reader;
        this.recent = new RecentRows(application);
        this.errors = errors;
        this.nodes = nodes;
        this.holds = new HoldReader(application, nodes);
        this.minute = new MinuteOfSamples(history, application.name());
        this.interval = interval;
        this.failures = new FailureLog(LOG, Level.WARNING, "sampling " + application);
        this.errorFailures = new FailureLog(LOG, Level.WARNING, "grouping the errors of " + application);
        this.historyFailures = new FailureLog(LOG, Level.WARNING, "storing the history of " + application);
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
            failures.failed("cannot sample " + application + "; retrying every " + interval.toSeconds() + " s", e);
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

    /** Time until the next sample; shorter while a page is open. */
    private long pause() {
        Duration between = isWatched() || interval.compareTo(UNWATCHED_INTERVAL) > 0 ? interval : UNWATCHED_INTERVAL;
        return lookedAt + between.toNanos() - System.nanoTime();
    }

    private boolean isWatched() {
        return asked && System.nanoTime() - askedAt < WATCHED_FOR.toNanos();
    }

    /** Notes that a page is open, for a while. */
    private void watched() {
        boolean before = isWatched();
        asked = true;
        askedAt = System.nanoTime();
        if (!before) {
            notifyAll();
        }
    }

    private void lookAndTell() throws SQLException {
        List<NodeReader.Node> known = nodes.nodes();
        Sample sample = look(known);
        failures.succeeded();
        problem = null; // set before waiting pages are woken: they read it
        add(sample);
        try {
            errors.refresh();
            errorFailures.succeeded();
        } catch (SQLException | RuntimeException e) { // the sample itself is valid
            errorFailures.failed("cannot group the errors of " + application + "; retrying with the next sample", e);
        }
        try {
            minute.add(sample, known);
            historyFailures.succeeded();
        } catch (SQLException | RuntimeException e) {
            historyFailures.failed("cannot store a minute of " + application + "; charts have a gap there", e);
        }
    }

    private synchronized void fail(String why) {
        problem = why;
        notifyAll();
    }

    private Sample look(List<NodeReader.Node> known) throws SQLException {
        Map<EventState, Integer> counts = reader.counts();
        Duration oldest = reader.oldestPendingAge();
        long alive = known.stream()
                .filter(node -> node.silentSeconds() < SILENT_SECONDS)
                .count();
        try (Connection conn = application.dataSource().getConnection()) {
            Instant now = application.flavor().clock(conn);
            List<RecentRows.Delivered> delivered = recent.delivered(conn, now);
            List<Double> lags =
                    delivered.stream().map(RecentRows.Delivered::lagMillis).toList();
            NodeRates.Rates counted = rates.of(known, now);
            types = RecentRows.byType(delivered);
            return new Sample(
                    now,
                    counts.getOrDefault(EventState.NEW, 0),
                    counts.getOrDefault(EventState.SCHEDULED, 0),
                    counts.getOrDefault(EventState.HELD, 0),
                    holds.holds(),
                    counts.getOrDefault(EventState.RETRY, 0),
                    counts.getOrDefault(EventState.DEAD, 0),
                    counts.getOrDefault(EventState.DONE, 0),
                    oldest == null ? 0 : oldest.toMillis() / 1000.0,
                    recent.writtenPerMinute(conn, now),
                    alive > 0 && counted != null
                            ? counted.delivered()
                            : RecentRows.perMinute(
                                    delivered.stream()
                                            .map(RecentRows.Delivered::doneAt)
                                            .toList(),
                                    now),
                    alive == 0
                            ? recent.failedPerMinute(conn, now)
                            : counted == null ? null : Double.valueOf(counted.failed()),
                    RecentRows.percentile(lags, 0.5),
                    RecentRows.percentile(lags, 0.95),
                    known.size(),
                    (int) alive,
                    known.stream().mapToInt(NodeReader.Node::inFlight).sum());
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
     * The latest sample, for periodic callers such as alert rules.
     *
     * @return {@code null} if there is none yet
     */
    public synchronized @Nullable Sample last() {
        watched();
        return samples.peekLast();
    }

    /**
     * Waits for a sample newer than {@code seen}, or for a {@link #problem} other than {@code known}.
     *
     * @return {@code null} if no sample arrived in time, there is a problem, or this was closed
     */
    public synchronized @Nullable Sample next(@Nullable Instant seen, @Nullable String known, Duration timeout)
            throws InterruptedException {
        long end = System.nanoTime() + timeout.toNanos();
        while (!closed) {
            watched();
            Sample last = samples.peekLast();
            if (last != null && (seen == null || last.at().isAfter(seen))) {
                return last;
            }
            long left = end - System.nanoTime();
            if (left <= 0 || (problem != null && !problem.equals(known))) {
                return null;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return null;
    }

    /** Why there are no new samples; {@code null} if there is no problem. */
    public @Nullable String problem() {
        synchronized (this) {
            watched();
        }
        return problem;
    }

    /** Deliveries of the last minute by event type, the most first, as of the last sample. */
    public List<TypeLag> types() {
        return types;
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
