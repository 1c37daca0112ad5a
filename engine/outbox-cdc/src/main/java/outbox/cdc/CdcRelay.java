package outbox.cdc;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import outbox.cdc.CdcStatus.State;
import outbox.util.DaemonThreadFactory;
import outbox.util.FailureLog;
import outbox.util.Loop;

/**
 * Delivers the events of an outbox by reading the database's log with Debezium: no query on the table, no row changed.
 * Writers use {@code JdbcOutbox.writerOnly}; the listeners are the same as with a delivering outbox.
 *
 * <pre>{@code
 * CdcRelay relay = CdcRelay.reading("jdbc:postgresql://db:5432/shop", "outbox_cdc", password)
 *     .listeners(registry)
 *     .build()
 *     .start();
 * }</pre>
 *
 * <p>Events are delivered at least once and, within one aggregate, in commit order. The offset is stored in the table
 * {@code outbox_cdc_offset} and advances only when every event before it was delivered. Any number of nodes may run the
 * same relay: one reads the log, the others are on standby and take over when its database session ends.
 *
 * <p>Thread-safe. A relay can be started once and cannot be restarted after it was closed.
 */
public final class CdcRelay implements AutoCloseable {
    private static final Logger LOG = System.getLogger(CdcRelay.class.getName());
    private static final int VALID_WITHIN_SECONDS = 5;
    /** Timeout of short queries on a busy server. */
    static final Duration ANSWER_LIMIT = Duration.ofSeconds(60);

    private final CdcRelayBuilder settings;
    private final LogDatabase log;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final LogWatch watch;
    private final FailureLog failures = new FailureLog(LOG, Level.ERROR, "reading the log of the database");
    private final Loop supervisor;
    private final AtomicBoolean returning = new AtomicBoolean();
    private boolean started; // guarded by this
    private volatile State state = State.STOPPED;
    private volatile @Nullable String lastError;
    /** Since when the log cannot be read: events committed since then may be waiting. */
    private volatile @Nullable Instant failingSince;

    private volatile @Nullable EngineRun current;

    CdcRelay(CdcRelayBuilder settings, LogDatabase log) {
        this.settings = settings;
        this.log = log;
        this.watch = new LogWatch(settings.address, log, settings, this::lag, this::offsetLost);
        this.supervisor =
                new Loop("outbox cdc relay " + settings.name, new DaemonThreadFactory("outbox-cdc-"), this::supervise);
    }

    /**
     * @param jdbcUrl {@code jdbc:postgresql://host/database}, {@code jdbc:mysql://…} or {@code jdbc:mariadb://…}
     * @param user a database user that may read the log; see docs/cdc-mode.md
     */
    public static CdcRelayBuilder reading(String jdbcUrl, String user, String password) {
        return new CdcRelayBuilder(DatabaseAddress.of(jdbcUrl, user, password));
    }

    /**
     * Checks the database and starts reading, or waits on standby.
     *
     * @throws CdcSetupException if the log cannot be read; the message says what to do
     * @throws outbox.jdbc.OutboxSchemaException if the outbox table or a column of it is missing
     */
    public synchronized CdcRelay start() {
        if (started || closing.getCount() == 0) {
            throw new IllegalStateException("relay " + settings.name + " was already started or closed");
        }
        try (Connection conn = settings.address.connect()) {
            log.prepare(conn);
        } catch (SQLException e) {
            throw new CdcSetupException(
                    "cannot connect to the database (" + settings.address + "): " + e.getMessage(), e);
        }
        started = true;
        state = State.STARTING;
        supervisor.start();
        watch.start();
        return this;
    }

    public CdcStatus status() {
        LogState seen = watch.state();
        return new CdcStatus(state, lag(), seen.retainedBytes(), seen.warning(), lastError);
    }

    private Duration lag() {
        EngineRun run = current;
        Instant oldest = run == null ? null : run.oldestInFlight();
        oldest = oldest == null ? failingSince : oldest;
        Duration lag = oldest == null ? Duration.ZERO : Duration.between(oldest, Instant.now());
        return lag.isNegative() ? Duration.ZERO : lag;
    }

    // ---- one reader at a time -----------------------------------------------------------------------------------

    private boolean supervise() throws InterruptedException {
        try (Connection lock = settings.address.connect(ANSWER_LIMIT)) {
            if (log.tryLock(lock)) {
                log.endWhenSilent(lock, settings.lockLimit());
                if (awaitPredecessor(lock)) {
                    String lost = log.lostOffset(lock);
                    if (lost != null) {
                        beginAnew(lock, lost);
                    }
                    read(lock, settings.configuration(log.prepare(lock)));
                }
            } else if (state != State.STANDBY) {
                LOG.log(
                        Level.INFO,
                        "another process reads the log as relay " + settings.name + "; this one is on standby");
                state = State.STANDBY;
                failingSince = null;
            }
        } catch (SQLException | RuntimeException e) { // RuntimeException: also for settings that Debezium rejects
            failed(e);
        }
        boolean end = closing.await(settings.retryInterval.toMillis(), TimeUnit.MILLISECONDS);
        if (end) {
            state = State.STOPPED;
        }
        return !end;
    }

    /**
     * The previous reader stops when it notices that it lost its lock. If it has not stopped after a while, its session
     * is terminated.
     *
     * @return whether it has stopped; otherwise this relay is being closed
     */
    private boolean awaitPredecessor(Connection lock) throws SQLException, InterruptedException {
        long begin = System.nanoTime();
        while (log.isRead(lock)) {
            if (closing.await(100, TimeUnit.MILLISECONDS)) {
                return false;
            }
            if (System.nanoTime() - begin > settings.lockLimit().toNanos()) {
                LOG.log(
                        Level.WARNING,
                        "the previous reader of relay " + settings.name + " lost its lock but is still reading; its"
                                + " database session is terminated");
                log.endReader(lock);
                begin = System.nanoTime();
            }
        }
        return true;
    }

    /** With PENDING_ROWS the relay can start over from the table; otherwise events could be missed without notice. */
    private void beginAnew(Connection conn, String lost) throws SQLException {
        if (settings.startFrom == StartFrom.NOW) {
            throw new CdcSetupException(
                    lost + ". Events committed since then are in the table only: close the relay,"
                            + " call forget() and start it again, with PENDING_ROWS to deliver the rows that are still pending");
        }
        LOG.log(Level.WARNING, lost + "; relay " + settings.name + " starts over with the pending rows of the table");
        forget(conn);
    }

    private void offsetLost(String why) {
        EngineRun run = current;
        if (run != null) {
            LOG.log(Level.WARNING, "relay " + settings.name + " stops reading: " + why);
            run.stop();
        }
    }

    /** Without writes, the first record would only arrive with the next heartbeat. */
    private void askForARecord() {
        try (Connection conn = settings.address.connect(ANSWER_LIMIT)) {
            log.nudge(conn);
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "could not write a marker to the log; waiting for the next heartbeat instead", e);
        }
    }

    private void reading() {
        state = State.RUNNING;
        lastError = null;
        failingSince = null;
        failures.succeeded();
        LOG.log(Level.INFO, "relay " + settings.name + " reads the log of " + settings.address);
    }

    private void read(Connection lock, Map<String, String> configuration) throws InterruptedException {
        EngineRun run = new EngineRun(settings, configuration, this::askForARecord, this::reading);
        current = run;
        if (closing.getCount() == 0) {
            current = null;
            run.abandon();
            return;
        }
        if (state != State.FAILING) {
            state = State.STARTING;
        }
        Loop guard = new Loop("outbox cdc lock", new DaemonThreadFactory("outbox-cdc-lock-"), () -> guard(lock, run));
        guard.start();
        try {
            Throwable failure = run.run();
            if (failure != null) {
                failed(failure);
            } else if (state == State.RUNNING) {
                state = State.STARTING; // unless it is being closed
            }
        } finally {
            current = null;
            guard.interrupt();
            guard.awaitEnd(TimeUnit.SECONDS.toNanos(2L * VALID_WITHIN_SECONDS));
        }
    }

    /**
     * Without its session this process no longer holds the lock and another one may read. The replication connection
     * can break without an error, so silence counts as a failure.
     */
    private boolean guard(Connection lock, EngineRun run) throws InterruptedException {
        if (run.awaitEnd(settings.retryInterval)) {
            return false;
        }
        if (run.silence().compareTo(settings.silenceLimit()) > 0) {
            LOG.log(
                    Level.WARNING,
                    "relay " + settings.name + " has received nothing from the log for "
                            + run.silence().toSeconds()
                            + " s, not even a heartbeat; it reconnects and continues at its offset");
            run.stop();
            return false;
        }
        try {
            if (lock.isValid(VALID_WITHIN_SECONDS)) {
                return true;
            }
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "cannot check the session that holds the lock", e);
        }
        LOG.log(
                Level.WARNING,
                "relay " + settings.name + " lost its database session and stops reading; it"
                        + " continues at its offset unless another process has taken over");
        run.stop();
        return false;
    }

    /** Debezium wraps the cause, which is the part that says what to do. */
    private static String describe(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root == failure ? failure.toString() : failure + " Caused by: " + root;
    }

    private void failed(Throwable failure) {
        lastError = describe(failure); // set before the state, because readers read the state first
        failingSince = failingSince == null ? Instant.now() : failingSince;
        state = State.FAILING;
        failures.failed(
                "relay " + settings.name + " cannot read the log of " + settings.address + "; retrying in "
                        + settings.retryInterval.toMillis() + " ms",
                failure);
    }

    // ---- return to pollers, forget, close -----------------------------------------------------------------------

    /**
     * Returns delivery to pollers: this relay delivers everything committed until now and leaves later events in the
     * table as NEW. Then it closes and deletes its offset and replication slot. Start delivering outboxes only after
     * this method has returned. Close relays on standby first.
     *
     * @throws IllegalStateException if this relay does not read the log, stops meanwhile, or does not finish within the
     *     limit. Nothing is lost: the relay continues at its offset and delivers everything, some events twice. Call it
     *     again
     */
    public void returnToPollers(Duration limit) {
        if (!returning.compareAndSet(false, true)) {
            throw new IllegalStateException("relay " + settings.name + " is already returning to pollers");
        }
        try {
            deliverWhatIsCommitted(limit);
        } finally {
            returning.set(false);
        }
        close();
        try {
            forget();
        } catch (IllegalStateException e) {
            throw new IllegalStateException(
                    "relay " + settings.name
                            + " has returned to pollers and is closed: start the pollers. Its offset is"
                            + " still stored: call forget() on a relay of that name later",
                    e);
        }
    }

    private void deliverWhatIsCommitted(Duration limit) {
        EngineRun run = current;
        if (run == null || state != State.RUNNING) {
            throw new IllegalStateException("relay " + settings.name + " does not read the log now, it is " + state
                    + "; call this on the relay that does");
        }
        try (Connection conn = settings.address.connect()) {
            ReturnToPollers border =
                    ReturnToPollers.begin(conn, settings.address, settings.table, log, settings.address.times());
            deliverUpTo(border, run, conn, limit);
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "relay " + settings.name + " could not return to pollers; call it again", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(
                    "relay " + settings.name + " could not return to pollers; call it again", e.getCause());
        } catch (TimeoutException e) {
            throw new IllegalStateException(
                    "relay " + settings.name + " has not delivered all committed events within " + limit
                            + " and continues at its offset; call it again",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(
                    "interrupted while relay " + settings.name + " returned to pollers; call it again", e);
        }
    }

    /** Unless the end is reached, the run is stopped; the next run reads again what this one left to the pollers. */
    private void deliverUpTo(ReturnToPollers border, EngineRun run, Connection conn, Duration limit)
            throws SQLException, ExecutionException, TimeoutException, InterruptedException {
        boolean reached = false;
        run.returnToPollers(border);
        try {
            log.nudge(conn);
            border.reached().get(limit.toMillis(), TimeUnit.MILLISECONDS);
            reached = true;
        } finally {
            if (!reached) {
                run.stop();
            }
        }
    }

    /**
     * Deletes the offset and the replication slot, so that the database no longer retains log for this relay. The next
     * start is a first start. Only for relays that are not running.
     */
    public void forget() {
        if (current != null) {
            throw new IllegalStateException("relay " + settings.name + " reads the log; close it first");
        }
        try (Connection conn = settings.address.connect()) {
            forget(conn);
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "the offset of relay " + settings.name + " could not be deleted; the database continues to"
                            + " retain log for it",
                    e);
        }
    }

    private void forget(Connection conn) throws SQLException {
        log.forget(conn);
        OffsetTable.forget(conn, settings.name);
    }

    /** Waits for running listeners up to the drain timeout, stores the offset, and stops. */
    @Override
    public void close() {
        synchronized (this) {
            closing.countDown();
            if (!started) {
                return;
            }
        }
        watch.close();
        EngineRun run = current;
        if (run != null) {
            run.stop();
        }
        try {
            if (!supervisor.awaitEnd(TimeUnit.SECONDS.toNanos(30))) {
                supervisor.interrupt();
            }
        } catch (InterruptedException e) {
            supervisor.interrupt();
            Thread.currentThread().interrupt();
        }
        state = State.STOPPED;
        failingSince = null;
    }
}
