package outbox.poller;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import outbox.model.OutboxEvent;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;
import outbox.spi.UnitOfWork;
import outbox.util.FailureLog;

/** What the metrics hear of polls: what was read, and now and then what the table still holds. Not thread-safe. */
final class PollFigures {
    private static final Logger LOG = System.getLogger(PollFigures.class.getName());
    private static final long PENDING_EVERY_NANOS = TimeUnit.SECONDS.toNanos(15);
    private static final int MOST_COUNTED = 10_000;

    private final ConnectionProvider connections;
    private final OutboxStore store;
    private final MetricsExporter metrics;
    private final InstantSource clock;
    private final LongSupplier ticks;
    private final FailureLog failures;
    private long pendingDueAt;

    PollFigures(
            ConnectionProvider connections,
            OutboxStore store,
            MetricsExporter metrics,
            InstantSource clock,
            LongSupplier ticks) {
        this.connections = connections;
        this.store = store;
        this.metrics = metrics;
        this.clock = clock;
        this.ticks = ticks;
        this.failures = new FailureLog(LOG, Level.WARNING, "counting pending rows", ticks);
        this.pendingDueAt = ticks.getAsLong();
    }

    /** How many rows a poll came back with, and how old the oldest is. */
    void tellRead(List<OutboxEvent> rows) {
        metrics.recordClaimSize(rows.size());
        Instant oldest = null;
        for (OutboxEvent row : rows) {
            oldest = oldest == null || row.createdAt().isBefore(oldest) ? row.createdAt() : oldest;
        }
        metrics.recordOldestLagMs(oldest == null ? 0 : Math.max(0, millisSince(oldest)));
    }

    /** As many as fit: a row may hold any time, and which ones an event can have is for the decoder to say. */
    private long millisSince(Instant time) {
        return TimeUnit.MILLISECONDS.convert(Duration.between(time, clock.instant()));
    }

    /**
     * How many rows are pending, and how long the oldest has been due; asks the database, so not after every poll. A
     * database that does not answer is logged: what was polled is in good hands all the same.
     */
    void tellPending() {
        if (metrics == MetricsExporter.NOOP
                || !(store instanceof LeasingOutboxStore leasing)
                || ticks.getAsLong() - pendingDueAt < 0) {
            return;
        }
        pendingDueAt = ticks.getAsLong() + PENDING_EVERY_NANOS;
        try {
            metrics.recordOldestPendingAge(UnitOfWork.single(connections, conn -> {
                leasing.countPending(conn, MOST_COUNTED).ifPresent(metrics::recordPending);
                leasing.countDead(conn, MOST_COUNTED).ifPresent(metrics::recordDead);
                Duration age = leasing.oldestPendingAge(conn);
                return age == null ? Duration.ZERO : age;
            }));
            failures.succeeded();
        } catch (SQLException | RuntimeException e) {
            failures.failed("could not count the pending rows; the metrics keep the last count, polling goes on", e);
        }
    }
}
