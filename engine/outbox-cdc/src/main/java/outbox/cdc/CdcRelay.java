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
 * <p>Events come at least once and, of one aggregate, in the order of their commits. Where the relay is in the log is kept
 * in the table {@code outbox_cdc_offset} and moves on only when the listeners have taken everything before it. Any number
 * of nodes may run the same relay: one reads, the others stand by and take over when its session with the database ends.
 *
 * <p>Thread-safe. It starts once; a closed one stays closed.
 */
public final class CdcRelay implements AutoCloseable {
    private static final Logger LOG = System.getLogger(CdcRelay.class.getName());
    private static final int VALID_WITHIN_SECONDS = 5;
    /** Of a question that a busy server may take a while for. */
    static final Duration ANSWER_LIMIT = Duration.ofSeconds(60);

    private final CdcRelayBuilder settings;
    private final LogDatabase log;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final LogWatch watch;
    private final FailureLog failures = new FailureLog(LOG, Level.ERROR, "reading the log of the database");
    private final Loop supervisor;
    private final AtomicBoolean handingBack = new AtomicBoolean();
    private boolean started; // guarded by this
    private volatile State state = State.STOPPED;
    private volatile @Nullable String lastError;
    /** What was committed since then may wait; nobody knows until the log can be read again. */
    private volatile @Nullable Instant failingSince;

    private volatile @Nullable EngineRun current;

    CdcRelay(CdcRelayBuilder settings, LogDatabase log) {
        this.settings = settings;
        this.log = log;
        this.watch = new LogWatch(settings.address, log, settings, this::lag, this::placeLost);
        this.supervisor =
                new Loop("outbox cdc relay " + settings.name, new DaemonThreadFactory("outbox-cdc-"), this::supervise);
    }

    /**
     * @param jdbcUrl {@code jdbc:postgresql://host/database}, {@code jdbc:mysql://…} or {@code jdbc:mariadb://…}
     * @param user one who may read the log, see the page on CDC
     */
    public static CdcRelayBuilder reading(String jdbcUrl, String user, String password) {
        return new CdcRelayBuilder(DatabaseAddress.of(jdbcUrl, user, password));
    }

    /**
     * Checks the database and begins to read, or to stand by.
     *
     * @throws CdcSetupException if the log cannot be read; the message says what to do
     * @throws outbox.jdbc.OutboxSchemaException if the outbox table or a column of it is missing
     */
    public synchronized CdcRelay start() {
        if (started || closing.getCount() == 0) {
            throw new IllegalStateException("relay " + settings.name + " was started or closed before");
        }
        try (Connection conn = settings.address.connect()) {
            log.prepare(conn);
        } catch (SQLException e) {
            throw new CdcSetupException("cannot look at the database (" + settings.address + "): " + e.getMessage(), e);
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
        Instant oldest = run == null ? null : run.oldestInHand();
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
                    String lost = log.lostPlace(lock);
                    if (lost != null) {
                        beginAnew(lock, lost);
                    }
                    read(lock, settings.configuration(log.prepare(lock)));
                }
            } else if (state != State.STANDBY) {
                LOG.log(Level.INFO, "another process reads the log as " + settings.name + "; this one stands by");
                state = State.STANDBY;
                failingSince = null;
            }
        } catch (SQLException | RuntimeException e) { // the latter also from settings that Debezium refuses
            failed(e);
        }
        boolean end = closing.await(settings.retryInterval.toMillis(), TimeUnit.MILLISECONDS);
        if (end) {
            state = State.STOPPED;
        }
        return !end;
    }

    /**
     * The reader before this one ends when it misses its lock. One that has not done so after a while cannot.
     *
     * @return whether it has ended; otherwise this relay is being closed
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
                        "an earlier reader of relay " + settings.name + " has lost its lock and reads on; its session"
                                + " with the database is ended");
                log.endReader(lock);
                begin = System.nanoTime();
            }
        }
        return true;
    }

    /** A relay that delivers what is pending can begin again; one that reads from now on would never know what it missed. */
    private void beginAnew(Connection conn, String lost) throws SQLException {
        if (settings.startFrom == StartFrom.NOW) {
            throw new CdcSetupException(
                    lost + ". What was committed since then is in the table at best: close the relay,"
                            + " call forget() and start it again, from PENDING_ROWS to get the rows that nobody marked");
        }
        LOG.log(
                Level.WARNING,
                lost + "; relay " + settings.name + " begins anew with the rows that nobody marked in the table");
        forget(conn);
    }

    private void placeLost(String why) {
        EngineRun run = current;
        if (run != null) {
            LOG.log(Level.WARNING, "relay " + settings.name + " stops reading: " + why);
            run.stop();
        }
    }

    /** In a quiet database nothing would come before the next heartbeat. */
    private void askForARecord() {
        try (Connection conn = settings.address.connect(ANSWER_LIMIT)) {
            log.nudge(conn);
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "nothing could be written to the log; the next heartbeat tells whether it is read", e);
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
                state = State.STARTING; // again, unless it is being closed
            }
        } finally {
            current = null;
            guard.interrupt();
            guard.awaitEnd(TimeUnit.SECONDS.toNanos(2L * VALID_WITHIN_SECONDS));
        }
    }

    /**
     * Without its session this process is not the reader any more: another one may have begun. A session with the log may
     * be gone without a word.
     */
    private boolean guard(Connection lock, EngineRun run) throws InterruptedException {
        if (run.awaitEnd(settings.retryInterval)) {
            return false;
        }
        if (run.silence().compareTo(settings.silenceLimit()) > 0) {
            LOG.log(
                    Level.WARNING,
                    "relay " + settings.name + " has heard nothing from the log for "
                            + run.silence().toSeconds() + " s, not even a heartbeat; it begins again where it was");
            run.stop();
            return false;
        }
        try {
            if (lock.isValid(VALID_WITHIN_SECONDS)) {
                return true;
            }
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "the session that holds the lock cannot be asked", e);
        }
        LOG.log(
                Level.WARNING,
                "relay " + settings.name + " lost its session with the database and stops reading; it"
                        + " begins again where it was, unless another process has taken over");
        run.stop();
        return false;
    }

    /** What Debezium throws says little; what it began with says what to do. */
    private static String describe(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root == failure ? failure.toString() : failure + " Caused by: " + root;
    }

    private void failed(Throwable failure) {
        lastError = describe(failure); // before the state, which is read first
        failingSince = failingSince == null ? Instant.now() : failingSince;
        state = State.FAILING;
        failures.failed(
                "relay " + settings.name + " cannot read the log of " + settings.address + "; tried again in "
                        + settings.retryInterval.toMillis() + " ms",
                failure);
    }

    // ---- ends ---------------------------------------------------------------------------------------------------

    /**
     * Leaves delivery to pollers: everything committed until now is delivered by this relay, everything later is left in
     * the table as NEW. Then the relay is closed and its place in the log given up. Start delivering outboxes when
     * this method has returned, and not before. Relays that stand by must be closed first.
     *
     * @throws IllegalStateException if this relay does not read, or stops on the way, or takes longer than that: nothing is
     *     lost then; the relay begins again where it was and delivers everything, some of it twice, and this can be repeated
     */
    public void handBack(Duration limit) {
        if (!handingBack.compareAndSet(false, true)) {
            throw new IllegalStateException("relay " + settings.name + " is being handed back already");
        }
        try {
            deliverWhatIsCommitted(limit);
        } finally {
            handingBack.set(false);
        }
        close();
        try {
            forget();
        } catch (IllegalStateException e) {
            throw new IllegalStateException(
                    "relay " + settings.name
                            + " has handed back and is closed: start the pollers. Its place in the log is"
                            + " still kept: call forget() of a relay of that name later",
                    e);
        }
    }

    private void deliverWhatIsCommitted(Duration limit) {
        EngineRun run = current;
        if (run == null || state != State.RUNNING) {
            throw new IllegalStateException("relay " + settings.name + " does not read the log now, it is " + state
                    + "; hand back by the one that does");
        }
        try (Connection conn = settings.address.connect()) {
            HandBack border = HandBack.begin(conn, settings.address, settings.table, log, settings.address.times());
            deliverUpTo(border, run, conn, limit);
        } catch (SQLException e) {
            throw new IllegalStateException("relay " + settings.name + " could not hand back; repeat it", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("relay " + settings.name + " could not hand back; repeat it", e.getCause());
        } catch (TimeoutException e) {
            throw new IllegalStateException(
                    "relay " + settings.name + " has not delivered what was committed within " + limit
                            + " and begins again where it was; repeat it",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while relay " + settings.name + " handed back; repeat it", e);
        }
    }

    /** A run that may have left events to the poller is of no use unless it gets there: the next one reads them again. */
    private void deliverUpTo(HandBack border, EngineRun run, Connection conn, Duration limit)
            throws SQLException, ExecutionException, TimeoutException, InterruptedException {
        boolean reached = false;
        run.handBack(border);
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
     * Gives up the place in the log, so that the database keeps nothing for this relay any more. The next start is a first
     * start. Only for relays that do not run.
     */
    public void forget() {
        if (current != null) {
            throw new IllegalStateException("relay " + settings.name + " reads the log; close it first");
        }
        try (Connection conn = settings.address.connect()) {
            forget(conn);
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "the place of relay " + settings.name + " in the log could not be given up; the database goes on"
                            + " keeping log for it",
                    e);
        }
    }

    private void forget(Connection conn) throws SQLException {
        log.forget(conn);
        OffsetTable.forget(conn, settings.name);
    }

    /** Lets listeners finish what they have, writes down how far that is, and ends. */
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
