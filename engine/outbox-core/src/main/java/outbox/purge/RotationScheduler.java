package outbox.purge;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import outbox.spi.ConnectionProvider;
import outbox.spi.TableRotation;

/** Rotates a partitioned table at its start and then at an interval, on a thread of its own. Thread-safe. */
public final class RotationScheduler implements AutoCloseable {
    private static final Logger LOG = System.getLogger(RotationScheduler.class.getName());

    private final ConnectionProvider connections;
    private final TableRotation rotation;
    private final Duration retention;
    private final long intervalSeconds;
    private final InstantSource clock;
    private final Recurring rounds = new Recurring("partitions", this::runOnce);

    public RotationScheduler(
            ConnectionProvider connections,
            TableRotation rotation,
            Duration retention,
            Duration interval,
            InstantSource clock) {
        this.connections = Objects.requireNonNull(connections, "connections");
        this.rotation = Objects.requireNonNull(rotation, "rotation");
        this.retention = Retention.bounded(retention);
        this.intervalSeconds = Math.max(1, interval.toSeconds());
        this.clock = Objects.requireNonNull(clock, "clock");
    }

    /** A second call does nothing. */
    public void start() {
        rounds.start(0, intervalSeconds);
    }

    /** One round, on the caller's thread. What goes wrong is logged; the next round tries again. */
    public void runOnce() {
        try {
            TableRotation.Report report = rotation.rotate(connections, clock.instant(), retention);
            LOG.log(
                    report.kept().isEmpty() ? Level.INFO : Level.WARNING,
                    rotation + ": made " + report.created() + ", dropped " + report.dropped() + ", purged "
                            + report.purged() + " row(s) outside of them"
                            + (report.kept().isEmpty() ? "" : "; left for the next round: " + report.kept()));
        } catch (Throwable e) { // an Error would end the schedule for good, and nobody would see it
            LOG.log(Level.ERROR, rotation + " failed; tried again at the next interval", e);
        }
    }

    /** Ends a round under way, which the next one takes up again. */
    @Override
    public void close() {
        rounds.close();
    }
}
