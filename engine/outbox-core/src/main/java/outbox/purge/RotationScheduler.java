package outbox.purge;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.spi.ConnectionProvider;
import outbox.spi.TableRotation;
import outbox.spi.UnitOfWork;
import outbox.util.FailureLog;
import outbox.util.Ticks;

/** Rotates a partitioned table at its start and then at an interval, on a thread of its own. Thread-safe. */
public final class RotationScheduler implements AutoCloseable {
    private static final Logger LOG = System.getLogger(RotationScheduler.class.getName());

    private final ConnectionProvider connections;
    private final TableRotation rotation;
    private final Duration retention;
    private final Duration deadRetention;
    private final long intervalSeconds;
    private final InstantSource clock;
    private final FailureLog failures;
    private final Recurring rounds = new Recurring("partitions", this::runOnce);

    public RotationScheduler(
            ConnectionProvider connections,
            TableRotation rotation,
            Duration retention,
            @Nullable Duration deadRetention,
            Duration interval,
            InstantSource clock) {
        this.connections = Objects.requireNonNull(connections, "connections");
        this.rotation = Objects.requireNonNull(rotation, "rotation");
        this.retention = Retention.bounded(retention);
        this.deadRetention = Retention.bounded(Retention.ofDead(deadRetention, retention));
        this.intervalSeconds = Math.max(1, interval.toSeconds());
        this.clock = Objects.requireNonNull(clock, "clock");
        this.failures = new FailureLog(LOG, Level.ERROR, rotation.toString(), Ticks.of(clock));
    }

    /** A second call does nothing. */
    public void start() {
        rounds.start(0, intervalSeconds);
    }

    /** One round, on the caller's thread. What goes wrong is logged; the next round tries again. */
    public void runOnce() {
        try {
            Instant now = UnitOfWork.single(connections, rotation::now).orElseGet(clock::instant);
            TableRotation.Report report = rotation.rotate(connections, now, retention, deadRetention);
            LOG.log(
                    report.kept().isEmpty() ? Level.INFO : Level.WARNING,
                    rotation + ": made " + report.created() + ", dropped " + report.dropped() + ", purged "
                            + report.purged() + " row(s) outside of them"
                            + (report.kept().isEmpty() ? "" : "; left for the next round: " + report.kept()));
            failures.succeeded();
        } catch (Throwable e) { // an Error would end the schedule for good, and nobody would see it
            failures.failed(rotation + " failed; tried again at the next interval", e);
        }
    }

    /** Ends a round under way, which the next one takes up again. */
    @Override
    public void close() {
        rounds.close();
    }
}
