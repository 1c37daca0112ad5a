package outbox.testing.server;

import java.net.URL;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.qpid.server.SystemLauncher;
import org.apache.qpid.server.model.SystemConfig;
import org.jspecify.annotations.Nullable;

/**
 * An AMQP 0-9-1 broker inside this JVM, in memory: Apache Qpid. It knows RabbitMQ's confirms and the mandatory flag; it is
 * not RabbitMQ. It listens on the loopback interface only; user and password are {@code guest}. Thread-safe.
 *
 * <p>Needs {@code org.apache.qpid:qpid-broker-core}, {@code qpid-broker-plugins-amqp-0-8-protocol} and
 * {@code qpid-broker-plugins-memory-store} in test scope.
 */
public final class EmbeddedQpid implements AutoCloseable {
    private static final Object SHARED_LOCK = new Object();
    private static @Nullable EmbeddedQpid sharedBroker;

    private final ServerDirectory directory;
    private final ServerGuard guard;
    private final SystemLauncher launcher;
    private final int port;
    private boolean closed;

    private enum Kind implements ServerKind {
        QPID;

        @Override
        public String title() {
            return "Qpid";
        }

        @Override
        public String id() {
            return "qpid";
        }

        @Override
        public String property() {
            return "outbox.test.qpid";
        }
    }

    private EmbeddedQpid(ServerDirectory directory, ServerGuard guard, SystemLauncher launcher, int port) {
        this.directory = directory;
        this.guard = guard;
        this.launcher = launcher;
        this.port = port;
    }

    /** Returns the URI of the one broker of this JVM, starting it on the first call; it ends with the JVM. */
    public static String shared() {
        synchronized (SHARED_LOCK) {
            if (sharedBroker == null) {
                sharedBroker = launch();
            }
            return sharedBroker.uri();
        }
    }

    /** Starts a broker that belongs to the caller. */
    public static EmbeddedQpid launch() {
        RequiredClass.of(Kind.QPID, "org.apache.qpid.server.SystemLauncher", "org.apache.qpid:qpid-broker-core:10.1.0");
        RequiredClass.of(
                Kind.QPID,
                "org.apache.qpid.server.protocol.v0_8.ProtocolEngineCreator_0_9_1",
                "org.apache.qpid:qpid-broker-plugins-amqp-0-8-protocol:10.1.0");
        RequiredClass.of(
                Kind.QPID,
                "org.apache.qpid.server.store.MemoryConfigurationStore",
                "org.apache.qpid:qpid-broker-plugins-memory-store:10.1.0");
        ServerDirectory directory = ServerDirectory.create(Kind.QPID);
        ServerGuard guard = ServerGuard.over(directory, "TERM"); // of a directory alone
        URL configuration = Objects.requireNonNull(EmbeddedQpid.class.getResource("qpid.json"), "qpid.json");
        int port = FreePort.find();
        Map<String, Object> attributes = new HashMap<>();
        attributes.put(SystemConfig.TYPE, "Memory");
        attributes.put(SystemConfig.INITIAL_CONFIGURATION_LOCATION, configuration.toString());
        attributes.put(SystemConfig.STARTUP_LOGGED_TO_SYSTEM_OUT, false);
        attributes.put(
                SystemConfig.CONTEXT,
                Map.of("qpid.work_dir", directory.data().toString(), "qpid.amqp_port", Integer.toString(port)));
        SystemLauncher launcher = new SystemLauncher();
        try {
            launcher.startup(attributes);
            return new EmbeddedQpid(directory, guard, launcher, port);
        } catch (Exception e) {
            directory.delete();
            guard.dismiss();
            throw new IllegalStateException("Qpid did not start on port " + port, e);
        }
    }

    /** Returns the port on 127.0.0.1. */
    public int port() {
        return port;
    }

    /** Returns the address clients connect to. */
    public String uri() {
        return "amqp://guest:guest@" + FreePort.LOOPBACK + ":" + port;
    }

    /** Ends the broker; its messages are gone. Does nothing the second time. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            launcher.shutdown();
            directory.delete();
            guard.dismiss();
        }
    }
}
