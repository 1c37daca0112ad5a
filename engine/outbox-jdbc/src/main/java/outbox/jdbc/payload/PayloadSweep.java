package outbox.jdbc.payload;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.payload.PayloadTable.Place;
import outbox.spi.UnitOfWork;
import outbox.util.DaemonThreadFactory;
import outbox.util.FailureLog;
import outbox.util.Ulid;

/**
 * Deletes bodies whose event row is gone: purged, deleted on completion, or by hand. In an object store it also deletes
 * what no committed transaction refers to, once that is older than any transaction can be. One node sweeps at a time.
 * Thread-safe.
 */
public final class PayloadSweep implements AutoCloseable {
    /** Default of {@link #every}. */
    public static final Duration DEFAULT_INTERVAL = Duration.ofMinutes(1);
    /** Default of {@link #orphanAge}. */
    public static final Duration DEFAULT_ORPHAN_AGE = Duration.ofDays(1);

    private static final Logger LOG = System.getLogger(PayloadSweep.class.getName());
    private static final String DUTY = "sweep payloads";
    /** Bodies that are deleted in one transaction. */
    private static final int BATCH = 20;

    /** Keys that are looked up, and then deleted, at a time. */
    static final int KEYS = 200;

    private static final Duration OBJECTS_EVERY = Duration.ofHours(1);

    private final ClaimCheck claimCheck;
    private final FailureLog failures = new FailureLog(LOG, Level.WARNING, "payload sweep");
    private Duration interval = DEFAULT_INTERVAL;
    private Duration orphanAge = DEFAULT_ORPHAN_AGE;
    private @Nullable ScheduledExecutorService executor; // guarded by this
    private volatile @Nullable Long objectsSwept;

    private PayloadSweep(ClaimCheck claimCheck) {
        this.claimCheck = claimCheck;
    }

    public static PayloadSweep of(ClaimCheck claimCheck) {
        return new PayloadSweep(claimCheck);
    }

    /** How often bodies without event row are looked for. */
    public PayloadSweep every(Duration interval) {
        this.interval = positive("interval", interval);
        return this;
    }

    /**
     * How old an object must be before it is deleted because no committed row refers to it. Longer than the longest
     * transaction, and than clocks of nodes differ.
     */
    public PayloadSweep orphanAge(Duration age) {
        this.orphanAge = positive("orphanAge", age);
        return this;
    }

    private static Duration positive(String what, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(what + " must be positive: " + value);
        }
        return value;
    }

    /** Sweeps again and again on a thread of its own, until it is closed. */
    public synchronized PayloadSweep start() {
        if (executor == null) {
            executor = Executors.newSingleThreadScheduledExecutor(new DaemonThreadFactory("outbox-payload-sweep-"));
            long millis = Math.max(1, interval.toMillis());
            var unused = executor.scheduleWithFixedDelay(this::sweepQuietly, millis, millis, TimeUnit.MILLISECONDS);
        }
        return this;
    }

    private void sweepQuietly() {
        try {
            sweepOnce();
            failures.succeeded();
        } catch (Throwable e) { // the next one comes
            failures.failed(
                    "bodies without event are still in " + claimCheck.table() + "; the next sweep tries again", e);
        }
    }

    /**
     * What one sweep deleted.
     *
     * @param bodies whose event row was gone
     * @param orphans objects that no row referred to
     */
    public record Report(long bodies, long orphans) {}

    /** Sweeps now, unless another node does. Looks for orphaned objects once an hour. */
    public Report sweepOnce() throws SQLException, IOException {
        long bodies = 0;
        while (true) {
            List<Place> swept = claimCheck
                    .store
                    .election()
                    .run(claimCheck.connections, DUTY, conn -> {
                        List<Place> gone = claimCheck.table.orphans(conn, claimCheck.archiveTable, BATCH);
                        for (Place place : gone) {
                            claimCheck.table.delete(conn, place.eventId());
                        }
                        return gone;
                    })
                    .orElse(List.of());
            deleteObjects(swept);
            bodies += swept.size();
            if (swept.size() < BATCH) {
                break;
            }
        }
        Long last = objectsSwept;
        if (claimCheck.objects == null || (last != null && System.nanoTime() - last < OBJECTS_EVERY.toNanos())) {
            return new Report(bodies, 0);
        }
        objectsSwept = System.nanoTime();
        return new Report(bodies, deleteOrphans(claimCheck.objects));
    }

    /** After the commit: until then, the rows could come back. What fails here is an orphan, and its time comes. */
    private void deleteObjects(List<Place> swept) throws SQLException, IOException {
        ObjectStore objects = claimCheck.objects;
        if (objects == null) {
            return;
        }
        List<String> keys = new ArrayList<>();
        String prefix = ClaimCheck.locationOf(objects, "");
        for (Place place : swept) {
            String location = place.location();
            if (location != null && location.startsWith(prefix)) {
                keys.add(location.substring(prefix.length()));
            }
        }
        deleteUnreferenced(objects, keys);
    }

    private long deleteOrphans(ObjectStore objects) throws SQLException, IOException {
        String youngest = Ulid.timePrefix(Instant.now().minus(orphanAge));
        Orphans orphans = new Orphans(objects);
        objects.forEachKey(key -> {
            if (key.compareTo(youngest) < 0) {
                orphans.add(key);
            }
        });
        long deleted = orphans.finish();
        if (deleted > 0) {
            LOG.log(Level.INFO, "deleted " + deleted + " object(s) from " + objects + " that no event refers to");
        }
        return deleted;
    }

    /** Deletes some keys at a time while they are listed: a store can have more than fit into memory. */
    private final class Orphans {
        private final ObjectStore objects;
        private final List<String> keys = new ArrayList<>(KEYS);
        private @Nullable Exception failure;
        private long deleted;

        Orphans(ObjectStore objects) {
            this.objects = objects;
        }

        void add(String key) {
            if (failure != null) {
                return; // the rest of the list
            }
            keys.add(key);
            if (keys.size() == KEYS) {
                try {
                    delete();
                } catch (SQLException | IOException e) {
                    failure = e;
                }
            }
        }

        private void delete() throws SQLException, IOException {
            deleted += deleteUnreferenced(objects, keys);
            keys.clear();
        }

        long finish() throws SQLException, IOException {
            if (failure instanceof SQLException e) {
                throw e;
            }
            if (failure instanceof IOException e) {
                throw e;
            }
            delete();
            return deleted;
        }
    }

    private int deleteUnreferenced(ObjectStore objects, List<String> keys) throws SQLException, IOException {
        if (keys.isEmpty()) {
            return 0;
        }
        List<String> locations =
                keys.stream().map(key -> ClaimCheck.locationOf(objects, key)).toList();
        Set<String> referenced = new HashSet<>(
                UnitOfWork.single(claimCheck.connections, conn -> claimCheck.table.referenced(conn, locations)));
        int deleted = 0;
        for (String key : keys) {
            if (!referenced.contains(ClaimCheck.locationOf(objects, key))) {
                objects.delete(key);
                deleted++;
            }
        }
        return deleted;
    }

    /** Lets the sweep under way end, and interrupts it if that takes long. */
    @Override
    public void close() {
        ScheduledExecutorService running;
        synchronized (this) {
            running = executor;
        }
        if (running == null) {
            return;
        }
        running.shutdown();
        try {
            if (!running.awaitTermination(5, TimeUnit.SECONDS)) {
                running.shutdownNow();
            }
        } catch (InterruptedException e) {
            running.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
