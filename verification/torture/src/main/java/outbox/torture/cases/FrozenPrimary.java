package outbox.torture.cases;

import java.time.Duration;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.FrozenServer;
import outbox.torture.Replication;
import outbox.torture.TortureCase;
import outbox.torture.worker.NodeSettings;
import outbox.torture.worker.Setting;

/**
 * The primary stops answering and closes nothing; its standby is promoted. Without a socket timeout, threads of the
 * business that wait for an answer wait until somebody ends the old primary; new ones must get through, and so must the engine.
 */
public final class FrozenPrimary implements TortureCase {
    private static final Duration SOCKET_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration LEAST_NETWORK_TIMEOUT = Duration.ofSeconds(10);

    private final boolean socketTimeout;
    private final boolean ordered;

    public FrozenPrimary(boolean socketTimeout, boolean ordered) {
        this.socketTimeout = socketTimeout;
        this.ordered = ordered;
    }

    @Override
    public String name() {
        return "failover-frozen" + (socketTimeout ? "-socket-timeout" : "") + (ordered ? "-ordered" : "");
    }

    @Override
    public String what() {
        return "primary freezes for good, standby promoted, "
                + (socketTimeout ? "socket timeout of " + SOCKET_TIMEOUT.toSeconds() + " s" : "no socket timeout")
                + (ordered ? ", ordered" : "");
    }

    @Override
    public boolean isOrdered() {
        return ordered;
    }

    @Override
    public Replication replication() {
        return Replication.SYNCHRONOUS;
    }

    /**
     * The statement that waits for the old primary, the pool that tries its dead connections, and the lease of what was claimed
     * and not answered.
     */
    private static Duration bound(Duration leaseTime, Duration connectionTimeout) {
        Duration statement = leaseTime.compareTo(LEAST_NETWORK_TIMEOUT) > 0 ? leaseTime : LEAST_NETWORK_TIMEOUT;
        return statement.plus(connectionTimeout).plus(leaseTime);
    }

    @Override
    public void run(Arena arena) throws Exception {
        NodeSettings settings = arena.byDefault();
        if (socketTimeout) {
            settings = arena.database().withSocketTimeout(SOCKET_TIMEOUT, settings);
        }
        Cluster cluster = arena.cluster(settings);
        arena.limitRecovery(bound(cluster.leaseTime(), settings.millis(Setting.CONNECTION_MS)));
        cluster.write();
        arena.pass(Duration.ofSeconds(arena.scaled(5, 2)));
        arena.fault();
        FrozenServer frozen = FrozenServer.freeze(arena.database().pair().primary());
        long promoted = arena.failOver();
        if (!socketTimeout) {
            cluster.write(); // as new requests would
        }
        arena.awaitRecovery(promoted, cluster.names());
        arena.pass(Duration.ofSeconds(arena.scaled(5, 1)));
        arena.database().pair().primary().kill();
        frozen.forget();
        cluster.hush();
        arena.awaitEmpty();
    }
}
