package outbox.torture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import outbox.EventEnvelope;
import outbox.torture.worker.Business;
import outbox.torture.worker.NodeSettings;
import outbox.torture.worker.Poison;
import outbox.torture.worker.Setting;

/** Where a case takes place: its database, its ledger, its processes, and what it has told about faults. */
public final class Arena implements AutoCloseable {
    private static final Duration DRAIN = Duration.ofMinutes(3);
    private static final Duration LATE = Duration.ofMillis(300);

    /** Creates the tables of a case on the server or the pair it was given. */
    interface DatabaseOfCase {
        Database create(int keys, boolean ordered) throws SQLException;
    }

    private final TortureCase torture;
    private final Path directory;
    private final boolean quick;
    private final double patience;
    private final Progress progress;
    private final Random random = new Random();
    private final Database database;
    private final Ledger ledger;
    private final Recovery recovery = new Recovery();
    private final List<WorkerProcess> workers = new ArrayList<>();
    private final List<String> complaints = new ArrayList<>();
    private final long begun = System.nanoTime();
    private final Map<String, String> figures = new LinkedHashMap<>();
    private int faults;
    private long allowedDuplicates;
    private Duration recoveryLimit = Duration.ofMillis(-1);
    private boolean purged;
    private boolean failedOver;

    Arena(
            TortureCase torture,
            DatabaseOfCase database,
            Path directory,
            boolean quick,
            double patience,
            Progress progress)
            throws IOException, SQLException {
        this.torture = torture;
        this.directory = Files.createDirectories(directory);
        this.quick = quick;
        this.patience = patience;
        this.progress = progress;
        this.ledger = new Ledger(directory);
        this.database = database.create(NodeSettings.usual().number(Setting.KEYS), torture.isOrdered());
    }

    public Database database() {
        return database;
    }

    public Ledger ledger() {
        return ledger;
    }

    public Recovery recovery() {
        return recovery;
    }

    public Random random() {
        return random;
    }

    /** One of two amounts: for a full run, and for a quick one. */
    public int scaled(int full, int inQuickRun) {
        return quick ? inQuickRun : full;
    }

    /** Settings of a node on this database; its name and its ledger come with its start. */
    public NodeSettings settings() {
        return database.reachableBy(NodeSettings.usual()).with(Setting.ORDERED, torture.isOrdered());
    }

    /** The same with a listener that takes its time, so that a node always has something in hand when it is struck. */
    public NodeSettings busy() {
        // A build shares its machine: a node that is held up for a while is not to lose leases that nobody counted.
        NodeSettings settings = settings().with(Setting.LEASE_MS, scaled(2000, 5000));
        // A key has one listener at a time: with order, less is written, so that what waits waits for the fault alone.
        return torture.isOrdered()
                ? settings.with(Setting.LISTENER_MS, 10).with(Setting.RATE, 15)
                : settings.with(Setting.LISTENER_MS, 20);
    }

    /** Nodes as users have them by default: lease and pool. In a quick run, the lease is that of {@link #busy()}. */
    public NodeSettings byDefault() {
        NodeSettings settings = busy().with(Setting.CONNECTION_MS, 30_000)
                .with(Setting.VALIDATION_MS, 5_000)
                .with(Setting.IDLE, 10);
        return quick ? settings : settings.with(Setting.LEASE_MS, 30_000);
    }

    /** For cases in which nothing is done to the nodes: a busy machine costs them no lease and no connection. */
    public NodeSettings undisturbed() {
        return settings().with(Setting.LEASE_MS, 10_000).with(Setting.CONNECTION_MS, 30_000);
    }

    /** The settings of one life of a node. */
    public NodeSettings named(String node, NodeSettings settings) {
        return settings.with(Setting.NODE, node).with(Setting.LEDGER, ledger.file(node));
    }

    /** Starts a worker; it is not ready yet. */
    WorkerProcess launch(Version version, String node, NodeSettings settings, List<String> jvmOptions)
            throws IOException {
        WorkerProcess worker =
                WorkerProcess.start(version, named(node, settings), directory.resolve(node + ".log"), jvmOptions);
        workers.add(worker);
        return worker;
    }

    /** Three workers, ready. */
    public Cluster cluster(NodeSettings settings) throws IOException, InterruptedException {
        return cluster(List.of(settings, settings, settings));
    }

    /** Workers of different kinds, ready. */
    public Cluster cluster(List<NodeSettings> settings, String... jvmOptions) throws IOException, InterruptedException {
        return Cluster.start(this, Collections.nCopies(settings.size(), Version.TODAY), settings, List.of(jvmOptions));
    }

    /** Workers of different versions, ready. */
    public Cluster cluster(List<Version> versions, NodeSettings settings) throws IOException, InterruptedException {
        return Cluster.start(this, versions, Collections.nCopies(versions.size(), settings), List.of());
    }

    /** Something was done to the system. */
    public void fault() {
        faults++;
    }

    /** So many more events may have been delivered twice because of what was done. */
    public void allowDuplicates(long more) {
        allowedDuplicates += more;
    }

    /** Within which time after a fault everything concerned is to be delivered. */
    public void limitRecovery(Duration limit) {
        recoveryLimit = patient(limit);
    }

    /** A time as this run grants it. */
    Duration patient(Duration time) {
        return Duration.ofMillis((long) (time.toMillis() * patience));
    }

    /** Rows may be missing at the end. */
    public void purges() {
        purged = true;
    }

    /** A column of this case's table that others do not have. */
    public void figure(String name, String value) {
        figures.put(name, value);
    }

    /** What must be true beside all that is counted anyway. */
    public void expect(boolean condition, String otherwise) {
        if (!condition) {
            complaints.add(otherwise);
        }
    }

    /** Lets time pass. */
    public void pass(Duration time) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            Thread.sleep(Math.max(1, Math.min(250, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()))));
            show();
        }
    }

    private void show() {
        ledger.read();
        progress.show(String.format(
                "%5.1f s, %d committed, %d delivered, %d faults",
                (System.nanoTime() - begun) / 1e9, ledger.commits(), ledger.deliveries(), faults));
    }

    /** Writes events that no listener gets through into the table, each with its business row. */
    public void insert(Poison poison, int count) throws SQLException {
        try (Connection conn = database.connect()) {
            conn.setAutoCommit(false);
            for (int i = 0; i < count; i++) {
                EventEnvelope event = EventEnvelope.builder(poison.eventType())
                        .aggregateType(Business.AGGREGATE)
                        .aggregateId("k0")
                        .payloadJson("{}")
                        .build();
                Business.insert(conn, event.eventId(), event, 0);
                database.store().insertNew(conn, event);
                fault();
            }
            conn.commit();
        }
    }

    /** All that was committed must have been delivered within this time. */
    public void limitWait(Duration limit) {
        limitRecovery(limit);
        ledger.read();
        recovery.took(ledger.longestWait());
    }

    /** Waits until nothing is left to be delivered. */
    public void awaitEmpty() throws InterruptedException, SQLException {
        awaitEmpty(DRAIN);
    }

    public void awaitEmpty(Duration atMost) throws InterruptedException, SQLException {
        long end = System.nanoTime() + atMost.toNanos();
        long pending = database.pending();
        while (pending > 0 && System.nanoTime() < end) {
            pass(Duration.ofMillis(100));
            pending = database.pending();
        }
        if (pending > 0) {
            expect(false, pending + " rows still wait after " + atMost.toSeconds() + " s, such as");
            database.waiting().forEach(row -> expect(false, row));
        }
        pass(LATE); // duplicates may come late
    }

    /**
     * Waits until the system is well again: all that was noted as committed before that moment is delivered, and each
     * of these nodes has since committed an event that is delivered.
     *
     * @param healed when the fault ended, in ticks of {@link System#nanoTime()}
     */
    public void awaitRecovery(long healed, List<String> nodes) throws InterruptedException {
        while (System.nanoTime() - healed < DRAIN.toNanos()) {
            ledger.read();
            long at = ledger.allDeliveredAt(healed);
            for (String node : nodes) {
                long works = ledger.worksAgainAt(node, healed);
                at = at < 0 || works < 0 ? -1 : Math.max(at, works);
            }
            if (at >= 0) {
                recovery.took(at - healed);
                return;
            }
            pass(Duration.ofMillis(20));
        }
        expect(false, "no recovery within " + DRAIN.toSeconds() + " s after a fault");
    }

    /**
     * Promotes the standby, whatever the primary does. What is in flight according to the standby may be delivered again;
     * with asynchronous replication also what the standby does not know to be in flight, or done.
     *
     * @return when it takes writes, in ticks of {@link System#nanoTime()}
     */
    public long failOver() throws SQLException, InterruptedException {
        ReplicatedPair pair = database.pair();
        pair.isolateStandby();
        database.moveToStandby();
        boolean synchronous = pair.replication() == Replication.SYNCHRONOUS;
        allowDuplicates(synchronous ? database.held().size() : database.pending());
        pair.promote();
        long promoted = System.nanoTime();
        if (!synchronous) {
            ledger.read();
            Set<String> missing = new HashSet<>(ledger.committed());
            missing.removeAll(database.committed());
            ledger.gone(missing);
        }
        failedOver = true;
        return promoted;
    }

    /** What only the old primary has. With synchronous replication nobody may have been told that it was committed. */
    private Set<String> unreplicated() throws SQLException {
        if (!failedOver || database.pair().replication() == Replication.SYNCHRONOUS) {
            return Set.of();
        }
        Set<String> ids = new HashSet<>(database.committedOnFormerPrimary());
        ids.removeAll(database.committed());
        return ids;
    }

    /**
     * Ends the database server and starts it without what it had not synced.
     *
     * @return how many bytes that was
     */
    public long losePower() throws IOException, SQLException {
        fault();
        long bytes = database.losePower();
        allowDuplicates(database.held().size());
        if (!torture.isDurable()) {
            ledger.read();
            Set<String> gone = new HashSet<>(ledger.committed());
            gone.removeAll(database.committed());
            ledger.gone(gone);
        }
        return bytes;
    }

    /** What went with the power, although it was committed. Its business row must be gone too, which the audit counts. */
    private Set<String> notDurable() throws SQLException {
        Set<String> present = database.committed();
        Set<String> commits = new HashSet<>(ledger.committed());
        commits.removeAll(present);
        Set<String> deliveries = new HashSet<>(ledger.first().keySet());
        deliveries.removeAll(present);
        figure("commits gone", Integer.toString(commits.size()));
        figure("deliveries gone", Integer.toString(deliveries.size()));
        expect(!commits.isEmpty(), "no commit was lost, so the disk is not lossy");
        commits.addAll(deliveries);
        return commits;
    }

    CaseResult conclude() throws SQLException, IOException {
        workers.forEach(WorkerProcess::kill);
        ledger.read();
        Audit audit = new Audit(database, ledger, torture.isDurable() ? unreplicated() : notDurable());
        long lost = audit.lost();
        long phantoms = audit.phantoms();
        long duplicates = audit.duplicates();
        long order = torture.isOrdered() ? audit.orderViolations() : -1;
        long worst = recovery.worst(ledger);
        long recoveryMillis = worst < 0 ? -1 : TimeUnit.NANOSECONDS.toMillis(worst);
        expect(workers.isEmpty() || audit.events() > 0, "nothing was committed, so nothing was tried");
        expect(order <= 0, order + " events out of order");
        if (duplicates > allowedDuplicates) {
            audit.explainDuplicates();
            complaints.add(duplicates + " duplicates, " + allowedDuplicates + " allowed");
        }
        if (!recoveryLimit.isNegative() && recoveryMillis > recoveryLimit.toMillis()) {
            complaints.add("recovery took " + recoveryMillis + " ms, " + recoveryLimit.toMillis() + " allowed");
        }
        complaints.addAll(audit.complaints(purged));
        return new CaseResult(
                torture.name(),
                torture.what(),
                audit.events(),
                faults,
                lost,
                phantoms,
                duplicates,
                allowedDuplicates,
                order,
                recoveryMillis,
                recoveryLimit.toMillis(),
                failedOver
                        ? audit.unreplicated(directory.resolve("not-replicated.txt"))
                        : CaseResult.Unreplicated.NO_FAILOVER,
                figures,
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun),
                List.copyOf(complaints));
    }

    @Override
    public void close() {
        workers.forEach(WorkerProcess::kill);
        database.drop();
    }
}
