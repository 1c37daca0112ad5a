package outbox.torture;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import outbox.torture.worker.NodeSettings;
import outbox.torture.worker.Setting;

/** The nodes of a case, each in its present life. Not thread-safe. */
public final class Cluster {
    private static final Duration BUSY_SOON = Duration.ofSeconds(3);

    private final Arena arena;
    private final List<String> jvmOptions;
    private final List<Version> versions;
    private final List<NodeSettings> settings;
    private final List<WorkerProcess> workers = new ArrayList<>();
    private final Set<WorkerProcess> starting = new HashSet<>();
    private int lives;

    private Cluster(Arena arena, List<Version> versions, List<NodeSettings> settings, List<String> jvmOptions) {
        this.arena = arena;
        this.versions = new ArrayList<>(versions);
        this.settings = settings;
        this.jvmOptions = jvmOptions;
    }

    static Cluster start(Arena arena, List<Version> versions, List<NodeSettings> settings, List<String> jvmOptions)
            throws IOException, InterruptedException {
        Cluster cluster = new Cluster(arena, versions, settings, jvmOptions);
        for (int i = 0; i < settings.size(); i++) {
            cluster.workers.add(cluster.launch(i));
        }
        for (WorkerProcess worker : cluster.workers) {
            worker.awaitReady();
        }
        return cluster;
    }

    private WorkerProcess launch(int node) throws IOException {
        Version version = versions.get(node);
        String name = version.prefix() + (node + 1) + "-" + ++lives;
        return arena.launch(version, name, settings.get(node), jvmOptions);
    }

    public int size() {
        return workers.size();
    }

    public WorkerProcess worker(int node) {
        return workers.get(node);
    }

    /** The present lives by name. */
    public List<String> names() {
        return workers.stream().map(WorkerProcess::name).toList();
    }

    public Duration leaseTime() {
        return settings.get(0).millis(Setting.LEASE_MS);
    }

    /** All nodes begin to write. */
    public void write() throws InterruptedException {
        order("write");
    }

    /** All nodes end writing. */
    public void hush() throws InterruptedException {
        order("hush");
    }

    /** Tells all nodes, then waits for all. */
    public void order(String command) throws InterruptedException {
        workers.forEach(worker -> worker.tell(command));
        for (WorkerProcess worker : workers) {
            worker.awaitDone(command);
        }
    }

    /**
     * SIGSTOP at a moment when the node has something in hand: to strike an idle one would try nothing.
     *
     * @return when that was, in ticks of {@link System#nanoTime()}
     */
    public long freezeBusy(int node) throws IOException, InterruptedException, SQLException {
        WorkerProcess worker = workers.get(node);
        long end = System.nanoTime() + arena.patient(BUSY_SOON).toNanos();
        while (true) {
            long at = System.nanoTime();
            worker.freeze();
            boolean busy = !arena.database().heldBy(worker.name()).isEmpty();
            if (busy || at - end > 0) {
                arena.expect(busy, worker.name() + " had nothing in hand when it was struck");
                return at;
            }
            worker.thaw();
            arena.pass(Duration.ofMillis(5));
        }
    }

    /** {@link #kill} at a moment when the node has something in hand. */
    public void killBusy(int node) throws IOException, InterruptedException, SQLException {
        freezeBusy(node);
        kill(node);
    }

    /** kill -9; what the node held may be delivered again, once, and is to be delivered soon. */
    public void kill(int node) throws SQLException {
        long at = System.nanoTime();
        workers.get(node).kill();
        struck(node, at);
    }

    /** The node does not answer for now, whatever it held. */
    public void struck(int node, long at) throws SQLException {
        Set<String> held = arena.database().heldBy(workers.get(node).name());
        arena.fault();
        arena.allowDuplicates(held.size());
        arena.recovery().struck(at, held);
    }

    /**
     * Starts nodes that have ended by themselves again, and lets them write as soon as they are ready. Does not wait for that:
     * what a dead node held is counted before anybody else claims it.
     *
     * @return how many have ended
     */
    public int replaceDead() throws IOException, SQLException {
        int ended = 0;
        for (int node = 0; node < workers.size(); node++) {
            WorkerProcess worker = workers.get(node);
            if (!worker.isAlive()) {
                struck(node, System.nanoTime());
                launchAgain(node);
                starting.add(workers.get(node));
                ended++;
            } else if (starting.contains(worker) && worker.isReady()) {
                worker.tell("write");
                starting.remove(worker);
            }
        }
        return ended;
    }

    /** Whether every node is still in its first life. */
    public boolean isUnharmed() {
        return lives == workers.size() && workers.stream().allMatch(WorkerProcess::isAlive);
    }

    /** A new life of the node, under a new name. It is not waited for. */
    public void launchAgain(int node) throws IOException {
        workers.set(node, launch(node));
    }

    /** Ends a node as an application ends, and starts it again in that version; returns when it writes. */
    public void replace(int node, Version version, Duration drain)
            throws IOException, InterruptedException, SQLException {
        arena.fault();
        WorkerProcess worker = workers.get(node);
        long took = worker.terminate(drain.plusSeconds(10));
        arena.expect(took >= 0, worker.name() + " did not end within " + drain.plusSeconds(10));
        int kept = arena.database().heldBy(worker.name()).size();
        arena.expect(kept == 0, worker.name() + " ended after " + took + " ms and kept " + kept + " leases");
        versions.set(node, version);
        launchAgain(node);
        join(node);
    }

    /** Waits until a node that was launched again is ready, and lets it write. */
    public void join(int node) throws InterruptedException {
        workers.get(node).awaitReady();
        workers.get(node).order("write");
    }
}
