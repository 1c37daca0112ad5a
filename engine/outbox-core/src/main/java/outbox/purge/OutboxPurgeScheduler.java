package outbox.purge;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import outbox.spi.ConnectionProvider;
import outbox.spi.Election;
import outbox.spi.EventPurger;
import outbox.util.Ticks;

/**
 * Deletes terminal rows after their retention, in batches, each in a short transaction of its own. Of several nodes one
 * purges at a time, if they have an {@link Election}. Thread-safe.
 */
public final class OutboxPurgeScheduler implements AutoCloseable {
    public static final Duration DEFAULT_RETENTION = Duration.ofDays(7);
    public static final int DEFAULT_BATCH_SIZE = 500;
    public static final long DEFAULT_INTERVAL_SECONDS = 3600;

    private static final Logger LOG = System.getLogger(OutboxPurgeScheduler.class.getName());
    private static final int MAX_TRIES = 3;
    private static final String DUTY = "purge";

    private final ConnectionProvider connections;
    private final EventPurger purger;
    private final Election election;
    private final Duration retention;
    private final int batchSize;
    private final long intervalSeconds;
    private final InstantSource clock;
    private final Recurring runs = new Recurring("purge", this::runOnce);

    private OutboxPurgeScheduler(Builder builder) {
        this.connections = Objects.requireNonNull(builder.connectionProvider, "connectionProvider");
        this.purger = Objects.requireNonNull(builder.purger, "purger");
        this.election = builder.election;
        this.retention = Retention.bounded(builder.retention);
        this.batchSize = builder.batchSize;
        this.intervalSeconds = builder.intervalSeconds;
        this.clock = builder.clock;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Starts purging at the interval, first after one interval; a second call does nothing. */
    public void start() {
        runs.start(intervalSeconds, intervalSeconds);
    }

    /**
     * Purges batch after batch until nothing old is left, or another node has taken over. What goes wrong is logged; the
     * next run tries again.
     */
    public void runOnce() {
        long total = 0;
        try {
            Instant before = clock.instant().minus(retention);
            Optional<Integer> deleted;
            do {
                deleted = purgeBatch(before);
                total += deleted.orElse(0);
            } while (deleted.orElse(0) >= batchSize && !runs.isClosed());
            LOG.log(
                    Level.INFO,
                    "purged " + total + " event(s) that ended before " + before
                            + (deleted.isPresent() ? "" : "; another node is purging, and does the rest"));
        } catch (Throwable e) { // an Error would end the schedule for good, and nobody would see it
            LOG.log(Level.ERROR, "purge failed after " + total + " event(s); tried again at the next interval", e);
        }
    }

    /** A batch may be the victim of a deadlock; that is no reason to wait for an hour. */
    private Optional<Integer> purgeBatch(Instant before) throws SQLException {
        for (int tries = 1; ; tries++) {
            try {
                return election.run(connections, DUTY, conn -> purger.purge(conn, before, batchSize));
            } catch (SQLException | RuntimeException e) {
                if (tries == MAX_TRIES || runs.isClosed()) {
                    throw e;
                }
            }
        }
    }

    /** Stops purging; a batch under way ends first. */
    @Override
    public void close() {
        runs.close();
    }

    /** Collects the parts of a purge scheduler; not thread-safe. */
    public static final class Builder {
        private @Nullable ConnectionProvider connectionProvider;
        private @Nullable EventPurger purger;
        private Election election = Election.UNOPPOSED;
        private Duration retention = DEFAULT_RETENTION;
        private int batchSize = DEFAULT_BATCH_SIZE;
        private long intervalSeconds = DEFAULT_INTERVAL_SECONDS;
        private InstantSource clock = Ticks.systemClock();

        private Builder() {}

        /** Required. */
        public Builder connectionProvider(ConnectionProvider connectionProvider) {
            this.connectionProvider = connectionProvider;
            return this;
        }

        /** Required. */
        public Builder purger(EventPurger purger) {
            this.purger = purger;
            return this;
        }

        /** Who purges when several nodes want to; default {@link Election#UNOPPOSED}, all of them. */
        public Builder election(Election election) {
            this.election = Objects.requireNonNull(election, "election");
            return this;
        }

        /** How long terminal rows stay; default 7 days. */
        public Builder retention(Duration retention) {
            if (retention.isNegative()) {
                throw new IllegalArgumentException("retention must not be negative: " + retention);
            }
            this.retention = retention;
            return this;
        }

        /** How many rows one transaction deletes at most; default {@value #DEFAULT_BATCH_SIZE}. */
        public Builder batchSize(int batchSize) {
            if (batchSize <= 0) {
                throw new IllegalArgumentException("batchSize must be positive: " + batchSize);
            }
            this.batchSize = batchSize;
            return this;
        }

        /** Default {@value #DEFAULT_INTERVAL_SECONDS}. */
        public Builder intervalSeconds(long intervalSeconds) {
            if (intervalSeconds <= 0) {
                throw new IllegalArgumentException("intervalSeconds must be positive: " + intervalSeconds);
            }
            this.intervalSeconds = intervalSeconds;
            return this;
        }

        /** Default: the system's. */
        public Builder clock(InstantSource clock) {
            this.clock = Objects.requireNonNull(clock, "clock");
            return this;
        }

        public OutboxPurgeScheduler build() {
            return new OutboxPurgeScheduler(this);
        }
    }
}
