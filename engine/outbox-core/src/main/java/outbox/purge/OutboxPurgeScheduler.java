package outbox.purge;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
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
import outbox.spi.RetentionPurger;
import outbox.spi.RetentionPurger.Cutoff;
import outbox.spi.UnitOfWork;
import outbox.util.FailureLog;
import outbox.util.Ticks;

/**
 * Deletes terminal rows after their retention, in batches, each in a short transaction of its own. Of several nodes one
 * purges at a time, if they have an {@link Election}. Thread-safe.
 */
public final class OutboxPurgeScheduler implements AutoCloseable {
    public static final Duration DEFAULT_RETENTION = Duration.ofDays(7);
    /** Of dead letters; longer if the retention of delivered rows is. */
    public static final Duration DEFAULT_DEAD_RETENTION = Duration.ofDays(30);

    public static final int DEFAULT_BATCH_SIZE = 500;
    public static final long DEFAULT_INTERVAL_SECONDS = 3600;

    private static final Logger LOG = System.getLogger(OutboxPurgeScheduler.class.getName());
    private static final int MAX_TRIES = 3;
    private static final String DUTY = "purge";

    private final ConnectionProvider connections;
    private final EventPurger purger;
    private final Election election;
    private final Duration retention;
    private final Duration deadRetention;
    private final boolean ordered;
    private final int batchSize;
    private final long intervalSeconds;
    private final InstantSource clock;
    private final FailureLog failures;
    private final Recurring runs = new Recurring("purge", this::runOnce);

    private OutboxPurgeScheduler(Builder builder) {
        this.connections = Objects.requireNonNull(builder.connectionProvider, "connectionProvider");
        this.purger = Objects.requireNonNull(builder.purger, "purger");
        this.election = builder.election;
        this.retention = Retention.bounded(builder.retention);
        this.deadRetention = Retention.bounded(Retention.ofDead(builder.deadRetention, builder.retention));
        this.ordered = builder.ordered;
        this.batchSize = builder.batchSize;
        this.intervalSeconds = builder.intervalSeconds;
        this.clock = builder.clock;
        this.failures = new FailureLog(LOG, Level.ERROR, "purging", Ticks.of(clock));
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
            Instant now = now();
            Cutoff cutoff = new Cutoff(now.minus(retention), now.minus(deadRetention), ordered);
            Optional<Integer> deleted;
            do {
                deleted = purgeBatch(cutoff);
                total += deleted.orElse(0);
            } while (deleted.orElse(0) >= batchSize && !runs.isClosed());
            LOG.log(
                    Level.INFO,
                    "purged " + total + " event(s) that ended before " + cutoff.doneBefore()
                            + (purger instanceof RetentionPurger ? " or died before " + cutoff.deadBefore() : "")
                            + (deleted.isPresent() ? "" : "; another node is purging, and does the rest"));
            failures.succeeded();
        } catch (Throwable e) { // an Error would end the schedule for good, and nobody would see it
            failures.failed("purge failed after " + total + " event(s); tried again at the next interval", e);
        }
    }

    private Instant now() throws SQLException {
        return UnitOfWork.single(connections, purger::now).orElseGet(clock::instant);
    }

    /** A batch may be the victim of a deadlock; that is no reason to wait for an hour. */
    private Optional<Integer> purgeBatch(Cutoff cutoff) throws SQLException {
        for (int tries = 1; ; tries++) {
            try {
                return election.run(connections, DUTY, conn -> purgeBatch(conn, cutoff));
            } catch (SQLException | RuntimeException e) {
                if (tries == MAX_TRIES || runs.isClosed()) {
                    throw e;
                }
            }
        }
    }

    private int purgeBatch(Connection conn, Cutoff cutoff) {
        return purger instanceof RetentionPurger retaining
                ? retaining.purge(conn, cutoff, batchSize)
                : purger.purge(conn, cutoff.doneBefore(), batchSize);
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
        private @Nullable Duration deadRetention;
        private boolean ordered;
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

        /**
         * How long dead letters stay after they died; default 30 days, or the {@link #retention} if that is longer. Needs a
         * {@link RetentionPurger}, as all of this library are.
         */
        public Builder deadRetention(Duration deadRetention) {
            if (deadRetention.isNegative()) {
                throw new IllegalArgumentException("deadRetention must not be negative: " + deadRetention);
            }
            this.deadRetention = deadRetention;
            return this;
        }

        /**
         * Whether the table is delivered in order: dead letters that block their aggregate then stay until somebody replays,
         * skips or parks them. Needs a {@link RetentionPurger}, as all of this library are.
         */
        public Builder ordered(boolean ordered) {
            this.ordered = ordered;
            return this;
        }

        /** How long delivered rows stay; default 7 days. */
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

        /** Where the purger does not know the time of the database; default: the system's. */
        public Builder clock(InstantSource clock) {
            this.clock = Objects.requireNonNull(clock, "clock");
            return this;
        }

        public OutboxPurgeScheduler build() {
            if ((deadRetention != null || ordered) && purger != null && !(purger instanceof RetentionPurger)) {
                throw new IllegalArgumentException((ordered ? "ordered delivery" : "deadRetention(...)")
                        + " needs a purger that treats dead letters" + " separately: let "
                        + purger.getClass().getName() + " implement RetentionPurger");
            }
            return new OutboxPurgeScheduler(this);
        }
    }
}
