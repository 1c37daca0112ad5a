package outbox.node;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.Outbox;
import outbox.node.db.Flavor;
import outbox.node.db.SchemaFile;
import outbox.spi.ConnectionProvider;
import outbox.spi.MetricsExporter;
import outbox.spi.UnitOfWork;
import outbox.util.DaemonThreadFactory;
import outbox.util.FailureLog;
import outbox.util.LeaseOwner;
import outbox.util.Loop;

/**
 * Reports to the control center, through the database, that this node is alive, its counters and its handlers, and
 * carries out what operators requested there. When the database is unavailable heartbeats are missed, but deliveries
 * are not affected. Thread-safe.
 *
 * <pre>{@code
 * Heartbeat heartbeat = Heartbeat.builder(dataSource).switchboard(Switchboard.of(mail)).build();
 * Outbox outbox = JdbcOutbox.multiNode(dataSource).metrics(heartbeat.metrics())…build();
 * heartbeat.start(outbox);   // first, so that what is paused stays paused
 * outbox.start();
 * }</pre>
 */
public final class Heartbeat implements AutoCloseable {
    public static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(5);

    private static final Logger LOG = System.getLogger(Heartbeat.class.getName());
    private static final Duration END = Duration.ofSeconds(5);

    private final DataSource dataSource;
    private final ConnectionProvider connections;
    private final Flavor flavor;
    private final NodeCounters counters;
    private final List<Switchboard> switchboards;
    private final @Nullable AttemptRecorder attempts;
    private final Duration interval;
    private final InstantSource clock;
    private Loop loop; // guarded by this

    private volatile @Nullable Outbox outbox;
    private volatile @Nullable NodeRow row;
    private boolean closed; // guarded by this
    private final FailureLog failures = new FailureLog(LOG, Level.WARNING, "writing heartbeats");

    private Heartbeat(Builder builder) {
        this.dataSource = builder.dataSource;
        this.connections = UnitOfWork.bounded(dataSource::getConnection, builder.interval);
        this.flavor = Flavor.detect(dataSource);
        this.counters = new NodeCounters(builder.metrics);
        this.switchboards = List.copyOf(builder.switchboards);
        this.attempts = builder.attempts;
        this.interval = builder.interval;
        this.clock = builder.clock;
        this.loop = newLoop();
    }

    private Loop newLoop() {
        return new Loop("heartbeat", new DaemonThreadFactory("outbox-heartbeat-"), this::turn);
    }

    public static Builder builder(DataSource dataSource) {
        return new Builder(dataSource);
    }

    /** Pass this to the outbox: it counts, and forwards to the configured metrics. */
    public MetricsExporter metrics() {
        return counters;
    }

    /**
     * Creates the tables if they are missing, pauses the handlers that operators paused, and then sends heartbeats in
     * the background. It can be started again after it was closed.
     *
     * @throws IllegalStateException if the tables cannot be created
     */
    public Heartbeat start(Outbox outbox) {
        SchemaFile schema = SchemaFile.ofNodes(flavor.database());
        try {
            schema.apply(dataSource);
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "cannot create the table outbox_node: " + e.getMessage() + "; run " + schema.file()
                            + " of outbox-control-center as a user that may create tables",
                    e);
        }
        this.outbox = outbox;
        beat();
        synchronized (this) {
            if (closed) {
                closed = false;
                loop = newLoop();
            }
            loop.start();
        }
        return this;
    }

    /** An outbox that was closed and started again has another lease owner, and so is another node. */
    private NodeRow rowOf(Outbox outbox, @Nullable NodeRow before) {
        String owner = outbox.leaseOwner();
        if (before != null && (owner == null || before.isOf(owner))) {
            return before;
        }
        return new NodeRow(
                flavor,
                owner == null ? LeaseOwner.incarnationOf(LeaseOwner.defaultNodeId()) : owner,
                clock,
                () -> new NodeRow.Counters(
                        counters.delivered(),
                        counters.failed(),
                        counters.dead(),
                        attempts == null ? NodeRow.Counters.NOT_RECORDED : attempts.lost(),
                        outbox.inFlight(),
                        counters.hotDepth(),
                        counters.coldDepth()),
                this::handlers);
    }

    private List<HandlerStatus> handlers() {
        Map<String, HandlerStatus> byName = new LinkedHashMap<>();
        for (Switchboard board : switchboards) {
            board.handlers().forEach(handler -> byName.merge(handler.name(), handler, HandlerStatus::with));
        }
        return List.copyOf(byName.values());
    }

    private boolean turn() throws InterruptedException {
        synchronized (this) {
            long end = System.nanoTime() + interval.toNanos();
            long left = interval.toNanos();
            while (!closed && left > 0) {
                TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, left));
                left = end - System.nanoTime();
            }
            if (closed) {
                return false;
            }
        }
        beat();
        return true;
    }

    /** One heartbeat, on the caller's thread. */
    void beat() {
        NodeRow before = row;
        NodeRow node = rowOf(Objects.requireNonNull(outbox, "start(...) comes first"), before);
        try {
            List<NodeRow.Command> commands = UnitOfWork.run(connections, conn -> {
                if (before != null && before != node) {
                    before.remove(conn);
                }
                NodeRow.Orders orders = node.read(conn);
                node.write(conn);
                orders.switches().forEach(this::apply);
                return node.take(conn, orders.commands());
            });
            node.committed(true);
            row = node;
            for (NodeRow.Command command : commands) {
                String outcome = perform(command);
                UnitOfWork.run(connections, conn -> node.done(conn, command, outcome));
            }
            failures.succeeded();
        } catch (SQLException | RuntimeException e) {
            node.committed(false);
            failures.failed(
                    "cannot write the heartbeat; deliveries continue, retrying every " + interval.toSeconds() + " s",
                    e);
        }
    }

    private void apply(NodeRow.Switch wanted) {
        switchboards.forEach(board -> board.setPaused(wanted.handler(), wanted.paused()));
    }

    private String perform(NodeRow.Command command) {
        for (Switchboard board : switchboards) {
            try {
                String outcome = board.perform(command.action(), command.target());
                if (outcome != null) {
                    return outcome;
                }
            } catch (RuntimeException e) {
                return "failed: " + e;
            }
        }
        return "this node has no " + command.target() + " that supports " + command.action();
    }

    /** Removes this node from the table, so that it is not reported as silent. */
    @Override
    public void close() {
        Loop ending;
        synchronized (this) {
            closed = true;
            ending = loop;
            notifyAll();
        }
        NodeRow node = row;
        try {
            if (!ending.awaitEnd(END.toNanos())) {
                ending.interrupt();
            }
            if (node != null) {
                UnitOfWork.run(connections, node::remove);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (SQLException e) {
            LOG.log(
                    Level.DEBUG,
                    "could not remove this node from outbox_node; the control center shows it as silent",
                    e);
        }
    }

    /** Not thread-safe. */
    public static final class Builder {
        private final DataSource dataSource;
        private final List<Switchboard> switchboards = new ArrayList<>();
        private MetricsExporter metrics = MetricsExporter.NOOP;
        private @Nullable AttemptRecorder attempts;
        private Duration interval = DEFAULT_INTERVAL;
        private InstantSource clock = InstantSource.system();

        private Builder(DataSource dataSource) {
            this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
        }

        /** Adds handlers that operators can see, pause and send commands to; may be called several times. */
        public Builder switchboard(Switchboard switchboard) {
            switchboards.add(Objects.requireNonNull(switchboard, "switchboard"));
            return this;
        }

        /** Further metrics to forward to. */
        public Builder metrics(MetricsExporter metrics) {
            this.metrics = Objects.requireNonNull(metrics, "metrics");
            return this;
        }

        /** Reports the number of its lost records with each heartbeat. */
        public Builder attempts(AttemptRecorder attempts) {
            this.attempts = Objects.requireNonNull(attempts, "attempts");
            return this;
        }

        public Builder interval(Duration interval) {
            if (interval.isNegative() || interval.isZero()) {
                throw new IllegalArgumentException("interval must be positive: " + interval);
            }
            this.interval = interval;
            return this;
        }

        public Builder clock(InstantSource clock) {
            this.clock = Objects.requireNonNull(clock, "clock");
            return this;
        }

        public Heartbeat build() {
            return new Heartbeat(this);
        }
    }
}
