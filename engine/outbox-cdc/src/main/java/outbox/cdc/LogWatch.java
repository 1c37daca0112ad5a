package outbox.cdc;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.spi.MetricsExporter;
import outbox.util.DaemonThreadFactory;
import outbox.util.Loop;

/** Checks periodically how much log the database retains for the relay, and logs a warning before it is too much. */
final class LogWatch implements AutoCloseable {
    private static final Logger LOG = System.getLogger(LogWatch.class.getName());
    /** A persisting warning is repeated after this many checks. */
    private static final int REPEAT_WARNING = 30;

    private final DatabaseAddress address;
    private final LogDatabase log;
    private final long warnBytes;
    private final Duration interval;
    private final MetricsExporter metrics;
    private final Supplier<Duration> lag;
    private final Consumer<String> onLostPlace;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Loop loop;
    private volatile LogState state = new LogState(-1, null);
    private int looksSinceWarning = REPEAT_WARNING;

    LogWatch(
            DatabaseAddress address,
            LogDatabase log,
            CdcRelayBuilder settings,
            Supplier<Duration> lag,
            Consumer<String> onLostPlace) {
        this.address = address;
        this.log = log;
        this.warnBytes = settings.warnBytes;
        this.interval = settings.watchInterval;
        this.metrics = settings.metrics;
        this.lag = lag;
        this.onLostPlace = onLostPlace;
        this.loop = new Loop("outbox cdc log watch", new DaemonThreadFactory("outbox-cdc-watch-"), this::turn);
    }

    LogWatch start() {
        loop.start();
        return this;
    }

    LogState state() {
        return state;
    }

    private boolean turn() throws InterruptedException {
        try (Connection conn = address.connect(CdcRelay.ANSWER_LIMIT)) {
            LogState seen = log.look(conn, warnBytes);
            String lost = log.lostOffset(conn);
            state = lost == null ? seen : new LogState(seen.retainedBytes(), lost);
            metrics.recordCdcRetainedBytes(seen.retainedBytes());
            report(state.warning());
            if (lost != null) {
                onLostPlace.accept(lost);
            }
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "could not check how much log the database retains; checking again later", e);
        }
        metrics.recordCdcLag(lag.get());
        return !closed.await(interval.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void report(@Nullable String warning) {
        if (warning == null) {
            looksSinceWarning = REPEAT_WARNING;
        } else if (++looksSinceWarning > REPEAT_WARNING) {
            looksSinceWarning = 0;
            LOG.log(Level.WARNING, warning);
        }
    }

    @Override
    public void close() {
        closed.countDown();
        loop.interrupt();
    }
}
