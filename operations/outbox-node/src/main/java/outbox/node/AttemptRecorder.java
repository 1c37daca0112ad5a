package outbox.node;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.model.EventStatus;
import outbox.node.db.Flavor;
import outbox.node.db.SchemaFile;
import outbox.node.db.Sql;
import outbox.spi.ConnectionProvider;
import outbox.spi.FailedDelivery;
import outbox.spi.FailureListener;
import outbox.spi.Settlement;
import outbox.spi.UnitOfWork;
import outbox.util.DaemonThreadFactory;
import outbox.util.FailureLog;
import outbox.util.FailureText;
import outbox.util.Loop;
import outbox.util.StoredError;
import outbox.util.Ulid;

/**
 * Records every failed delivery in the table {@code outbox_attempt}; the control center shows these as the timeline of
 * the event. Workers only add to a bounded queue; a separate thread writes batches. If the queue is full or the
 * database is unavailable, attempts are counted as lost: deliveries never wait for their records. The same thread
 * deletes records after their retention. Thread-safe.
 *
 * <pre>{@code
 * AttemptRecorder attempts = AttemptRecorder.on(dataSource);
 * JdbcOutbox.multiNode(dataSource).failureListener(attempts)…
 * }</pre>
 */
public final class AttemptRecorder implements FailureListener, AutoCloseable {
    /** Maximum number of failures waiting to be written. */
    public static final int QUEUE_CAPACITY = 10_000;

    /** How long attempts are kept. */
    public static final Duration DEFAULT_KEPT = Duration.ofDays(30);

    private static final Logger LOG = System.getLogger(AttemptRecorder.class.getName());
    private static final int BATCH = 200;
    private static final int MAX_ERROR = 8000;
    private static final String REFUSED = "the database refused the text of this error";
    private static final Duration END = Duration.ofSeconds(5);
    private static final Duration FORGET_EVERY = Duration.ofHours(1);
    private static final int FORGOTTEN_AT_ONCE = 500;
    private static final String INSERT =
            "INSERT INTO outbox_attempt (id, event_id, event_type, attempt, happened_at, duration_micros, node, outcome,"
                    + " error_class, error_text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

    /** How long an answer of the database is waited for. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ConnectionProvider connections;
    private final Flavor flavor;
    private final InstantSource clock;
    private final Duration kept;
    private final BlockingQueue<Attempt> queue;
    private final AtomicLong lost = new AtomicLong();
    private final Loop loop;
    private volatile boolean closing;
    private final FailureLog failures = new FailureLog(LOG, Level.WARNING, "recording failed attempts");
    private long forgetAt = System.nanoTime(); // of the loop's thread alone

    private record Attempt(FailedDelivery failure, Instant at) {}

    AttemptRecorder(DataSource dataSource, InstantSource clock, int capacity, Duration kept) {
        if (kept.isNegative()) {
            throw new IllegalArgumentException("the retention of attempts must be positive, not " + kept);
        }
        Objects.requireNonNull(dataSource, "dataSource");
        this.connections = UnitOfWork.bounded(dataSource::getConnection, PATIENCE);
        this.flavor = Flavor.detect(dataSource);
        this.clock = clock;
        this.kept = kept;
        this.queue = new ArrayBlockingQueue<>(capacity);
        this.loop = new Loop("attempt recorder", new DaemonThreadFactory("outbox-attempts-"), this::turn);
    }

    /** Creates the table if it is missing, and starts; attempts are kept for 30 days. */
    public static AttemptRecorder on(DataSource dataSource) {
        return on(dataSource, DEFAULT_KEPT);
    }

    /**
     * Creates the table if it is missing, and starts.
     *
     * @param kept how long attempts are kept
     */
    public static AttemptRecorder on(DataSource dataSource, Duration kept) {
        AttemptRecorder recorder = new AttemptRecorder(dataSource, InstantSource.system(), QUEUE_CAPACITY, kept);
        SchemaFile schema = SchemaFile.ofNodes(recorder.flavor.database());
        try {
            schema.apply(dataSource);
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "cannot create the table outbox_attempt: " + e.getMessage() + "; run " + schema.file()
                            + " of outbox-control-center as a user that may create tables",
                    e);
        }
        recorder.loop.start();
        return recorder;
    }

    @Override
    public void failed(FailedDelivery failure) {
        if (closing || !queue.offer(new Attempt(failure, clock.instant()))) {
            lost.incrementAndGet();
        }
    }

    /** How many failures could not be recorded. */
    public long lost() {
        return lost.get();
    }

    private boolean turn() throws InterruptedException {
        if (!closing && System.nanoTime() - forgetAt >= 0) {
            forget();
        }
        List<Attempt> batch = new ArrayList<>();
        Attempt first = queue.poll(200, TimeUnit.MILLISECONDS);
        if (first == null) {
            return !closing;
        }
        batch.add(first);
        queue.drainTo(batch, BATCH - 1);
        write(batch);
        return true;
    }

    /** A few at a time, so that no statement is long and new attempts do not wait. */
    private void forget() {
        try {
            int gone = UnitOfWork.run(connections, conn -> {
                List<String> old = new Sql(
                                flavor,
                                "SELECT id FROM outbox_attempt WHERE happened_at < ? ORDER BY happened_at LIMIT ?",
                                flavor.clock(conn).minus(kept),
                                FORGOTTEN_AT_ONCE)
                        .query(conn, row -> row.getString(1));
                return old.isEmpty()
                        ? 0
                        : new Sql(flavor, "DELETE FROM outbox_attempt WHERE id IN ")
                                .addList(old)
                                .update(conn);
            });
            if (gone > 0) {
                return;
            }
        } catch (SQLException | RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "cannot delete attempts older than " + kept + "; retrying in " + FORGET_EVERY.toMinutes()
                            + " minutes",
                    e);
        }
        forgetAt = System.nanoTime() + FORGET_EVERY.toNanos();
    }

    private void write(List<Attempt> batch) {
        Exception failure = tryWrite(batch, FailureText::of);
        int missed = failure == null ? 0 : writeOneByOne(batch);
        if (failure == null || missed == 0) {
            failures.succeeded();
            return;
        }
        lost.addAndGet(missed);
        failures.failed(
                "could not record " + missed
                        + " failed attempts; deliveries go on, records are lost until the database answers",
                failure);
    }

    /**
     * One text that the database refuses, because it lacks its alphabet for instance, must not cost other records.
     *
     * @return how many are not recorded; after the first of them no other one is tried, for the database is away
     */
    private int writeOneByOne(List<Attempt> batch) {
        for (int i = 0; i < batch.size(); i++) {
            List<Attempt> one = batch.subList(i, i + 1);
            if (tryWrite(one, FailureText::of) != null && tryWrite(one, error -> REFUSED) != null) {
                return batch.size() - i;
            }
        }
        return 0;
    }

    /** @return why not; {@code null} if they are recorded */
    private @Nullable Exception tryWrite(List<Attempt> batch, Function<Throwable, String> text) {
        try {
            UnitOfWork.run(connections, conn -> insert(conn, batch, text));
            return null;
        } catch (SQLException | RuntimeException e) {
            return e;
        }
    }

    private int insert(Connection conn, List<Attempt> batch, Function<Throwable, String> text) throws SQLException {
        try (PreparedStatement statement = conn.prepareStatement(INSERT)) {
            for (Attempt attempt : batch) {
                bind(statement, attempt, text);
                statement.addBatch();
            }
            return statement.executeBatch().length;
        }
    }

    private void bind(PreparedStatement statement, Attempt attempt, Function<Throwable, String> text)
            throws SQLException {
        FailedDelivery failure = attempt.failure();
        statement.setString(1, Ulid.next());
        statement.setString(2, failure.event().eventId());
        statement.setString(3, failure.event().eventType());
        statement.setInt(4, failure.attempt());
        flavor.bind(statement, 5, attempt.at());
        if (failure.duration() == null) {
            statement.setNull(6, Types.BIGINT);
        } else {
            statement.setLong(6, failure.duration().toNanos() / 1000);
        }
        statement.setString(7, failure.owner());
        statement.setInt(8, status(failure.outcome()).code());
        String errorClass = FailureText.classOf(failure.error());
        statement.setString(9, errorClass.length() > 255 ? errorClass.substring(0, 255) : errorClass);
        statement.setString(10, trace(text.apply(failure.error())));
    }

    private static EventStatus status(Settlement outcome) {
        return outcome.match(
                done -> EventStatus.DONE,
                delete -> EventStatus.DONE,
                retry -> EventStatus.RETRY,
                dead -> EventStatus.DEAD,
                release -> EventStatus.NEW);
    }

    private static String trace(String text) {
        String all = text.replace("\0", "");
        return withoutHalfPairs(all.length() <= MAX_ERROR ? all : all.substring(0, MAX_ERROR));
    }

    private static String withoutHalfPairs(String text) {
        if (text.length() <= StoredError.MAX_LENGTH) {
            return String.valueOf(StoredError.clean(text));
        }
        return StoredError.clean(text.substring(0, StoredError.MAX_LENGTH))
                + withoutHalfPairs(text.substring(StoredError.MAX_LENGTH));
    }

    /** Writes what is queued, for a few seconds at most. */
    @Override
    public void close() {
        closing = true;
        try {
            if (!loop.awaitEnd(END.toNanos())) {
                loop.interrupt();
            }
        } catch (InterruptedException e) {
            loop.interrupt();
            Thread.currentThread().interrupt();
        }
    }
}
