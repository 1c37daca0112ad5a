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

/** Asks the database from time to time how much log it keeps for the relay, and says so before that is too much. */
final class LogWatch implements AutoCloseable {
    private static final Logger LOG = System.getLogger(LogWatch.class.getName());
    /** A warning that stands is repeated after so many looks. */
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
            String lost = log.lostPlace(conn);
            state = lost == null ? seen : new LogState(seen.retainedBytes(), lost);
            metrics.recordCdcRetainedBytes(seen.retainedBytes());
            report(state.warning());
            if (lost != null) {
                onLostPlace.accept(lost);
            }
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "the database does not say how much log it keeps; asked again later", e);
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
