package outbox.testing.server;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Kafka for tests: one node with controller, in a separate JVM, so that it can be paused, killed and restarted. It
 * listens only on the loopback interface, on a fixed port, and ends with this JVM at the latest. Topics are created on
 * first use, with four partitions. Thread-safe.
 *
 * <p>Needs {@code org.apache.kafka:kafka_2.13} in test scope; the broker runs on the class path of this JVM.
 *
 * <p>To use your own brokers for {@link #shared()}, set the system property {@code outbox.test.kafka.url} or the
 * environment variable {@code OUTBOX_TEST_KAFKA_URL}, for example {@code localhost:9092}.
 */
public final class EmbeddedKafka implements AutoCloseable {

    /** A broker has more to do before it answers than a database. */
    private static final Duration START_TIMEOUT = ServerOptions.DEFAULT_START_TIMEOUT.multipliedBy(3);

    private static final String SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule";
    private static final int PROBE_INTERVAL_MILLIS = 50;
    private static final int PROBE_TIMEOUT_MILLIS = 2_000;
    private static final int UUID_BYTES = 16;

    /** To be changed when the data is formatted in another way. */
    private static final int LAYOUT = 1;

    private static final Object SHARED_LOCK = new Object();

    private static @Nullable String sharedServers;

    private final ServerDirectory directory;
    private final ServerGuard guard;
    private final int port = FreePort.find();
    private final int saslPort = FreePort.find();

    private @Nullable ServerProcess process;
    private boolean closed;

    private enum Kind implements ServerKind {
        KAFKA;

        @Override
        public String title() {
            return "Kafka";
        }

        @Override
        public String id() {
            return "kafka";
        }

        @Override
        public String property() {
            return "outbox.test.kafka";
        }
    }

    private EmbeddedKafka() {
        this.directory = ServerDirectory.create(Kind.KAFKA);
        this.guard = ServerGuard.over(directory, "KILL");
    }

    /** Returns the addresses of the one broker of this JVM, starting it on the first call; it ends with the JVM. */
    public static String shared() {
        synchronized (SHARED_LOCK) {
            if (sharedServers == null) {
                String configured = System.getProperty("outbox.test.kafka.url", System.getenv("OUTBOX_TEST_KAFKA_URL"));
                sharedServers = configured == null || configured.isBlank() ? launch().bootstrapServers() : configured;
            }
            return sharedServers;
        }
    }

    /** Starts a broker that belongs to the caller. */
    public static EmbeddedKafka launch() {
        RequiredClass.of(Kind.KAFKA, "kafka.Kafka", "org.apache.kafka:kafka_2.13:4.3.1");
        EmbeddedKafka broker = new EmbeddedKafka();
        try {
            broker.configure();
            broker.format();
            broker.start();
            return broker;
        } catch (RuntimeException e) {
            broker.close();
            throw e;
        }
    }

    /** Returns the address clients connect to, the same before and after a restart. */
    public String bootstrapServers() {
        return FreePort.LOOPBACK + ":" + port;
    }

    /**
     * Returns the address for clients that say who they are, by SCRAM-SHA-256. There are no users until
     * {@code Admin.alterUserScramCredentials} makes them.
     */
    public String saslBootstrapServers() {
        return FreePort.LOOPBACK + ":" + saslPort;
    }

    private void configure() {
        configure(directory, port, saslPort, FreePort.find());
    }

    private static void configure(ServerDirectory directory, int port, int saslPort, int controllerPort) {
        try {
            Files.writeString(configuration(directory), """
                    process.roles=broker,controller
                    node.id=1
                    controller.quorum.voters=1@%1$s:%3$d
                    listeners=PLAINTEXT://%1$s:%2$d,SASL://%1$s:%5$d,CONTROLLER://%1$s:%3$d
                    advertised.listeners=PLAINTEXT://%1$s:%2$d,SASL://%1$s:%5$d
                    controller.listener.names=CONTROLLER
                    listener.security.protocol.map=PLAINTEXT:PLAINTEXT,SASL:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT
                    sasl.enabled.mechanisms=SCRAM-SHA-256
                    listener.name.sasl.scram-sha-256.sasl.jaas.config=%6$s required;
                    log.dirs=%4$s
                    num.partitions=4
                    offsets.topic.num.partitions=1
                    offsets.topic.replication.factor=1
                    transaction.state.log.num.partitions=1
                    transaction.state.log.replication.factor=1
                    transaction.state.log.min.isr=1
                    group.initial.rebalance.delay.ms=0
                    """.formatted(
                            FreePort.LOOPBACK, port, controllerPort, directory.data(), saslPort, SCRAM));
        } catch (IOException e) {
            throw new UncheckedIOException("Kafka's configuration cannot be written", e);
        }
    }

    /** Formatting takes a JVM of its own: it is done once for all brokers of a version, and each gets another cluster id. */
    private void format() {
        try {
            Path formatted = SharedFiles.get(RequiredClass.jarOf("kafka.Kafka") + "-data-" + LAYOUT, fresh -> {
                ServerDirectory temporary = ServerDirectory.in(fresh);
                configure(temporary, 1, 2, 3); // it listens to none of them
                java(temporary, "kafka.tools.StorageTool", "format", "--cluster-id", clusterId(), "--config")
                        .run(temporary, null, START_TIMEOUT);
            });
            FirstData.copy(formatted, directory, START_TIMEOUT);
            Path meta = directory.data().resolve("meta.properties");
            String text = Files.readString(meta);
            Files.writeString(meta, text.replaceFirst("(?m)^cluster\\.id=.*$", "cluster.id=" + clusterId()));
        } catch (IOException e) {
            throw new UncheckedIOException("The first data of Kafka cannot be created", e);
        }
    }

    private static String clusterId() {
        byte[] bytes = new byte[UUID_BYTES];
        ThreadLocalRandom.current().nextBytes(bytes);
        bytes[0] &= 0x3f; // Kafka's command line takes a leading dash for an option
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static Path configuration(ServerDirectory directory) {
        return directory.root().resolve("server.properties");
    }

    /** The program with its arguments and, as the last one, the configuration. */
    private static Command java(ServerDirectory directory, String mainClass, String... arguments) {
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx384m",
                "-cp",
                System.getProperty("java.class.path"),
                mainClass));
        words.addAll(List.of(arguments));
        words.add(configuration(directory).toString());
        return new Command(words);
    }

    /** Starts the broker again, on the same port and data, and returns when it answers. */
    public synchronized void start() {
        if (closed || process != null) {
            throw new IllegalStateException(this + (closed ? " is closed" : " is already running"));
        }
        ServerProcess started = ServerProcess.start(java(directory, "kafka.Kafka"), directory, guard);
        process = started;
        long begin = System.nanoTime();
        while (!answers()) {
            if (!started.isAlive() || System.nanoTime() - begin > START_TIMEOUT.toNanos()) {
                started.kill();
                process = null;
                throw new IllegalStateException(this + " does not answer. Its log ends with:\n" + directory.logTail());
            }
            pauseBetweenProbes();
        }
    }

    /** Asks which requests the broker knows; it answers when it has joined its cluster. */
    private boolean answers() {
        int correlation = ThreadLocalRandom.current().nextInt();
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(FreePort.loopback(), port), PROBE_TIMEOUT_MILLIS);
            socket.setSoTimeout(PROBE_TIMEOUT_MILLIS);
            DataOutputStream request = new DataOutputStream(socket.getOutputStream());
            request.writeInt(Short.BYTES * 3 + Integer.BYTES);
            request.writeShort(18); // ApiVersions
            request.writeShort(0);
            request.writeInt(correlation);
            request.writeShort(-1); // no client id
            request.flush();
            DataInputStream answer = new DataInputStream(socket.getInputStream());
            return answer.readInt() > Integer.BYTES && answer.readInt() == correlation;
        } catch (IOException e) {
            return false;
        }
    }

    private static void pauseBetweenProbes() {
        try {
            Thread.sleep(PROBE_INTERVAL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for Kafka to start", e);
        }
    }

    /** Suspends the broker while its connections stay open, like a stalled machine. */
    public synchronized void pause() {
        requireProcess().signal("STOP");
    }

    /** Ends a {@link #pause()}. */
    public synchronized void resume() {
        requireProcess().signal("CONT");
    }

    /** Ends the broker as a crash would. Does nothing if it is down. */
    public synchronized void kill() {
        if (process != null) {
            process.kill();
            process = null;
        }
    }

    private ServerProcess requireProcess() {
        if (process == null) {
            throw new IllegalStateException(this + " is not running");
        }
        return process;
    }

    /** Ends the broker and deletes all it has written. Does nothing the second time. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        kill();
        directory.delete();
        guard.dismiss();
    }

    @Override
    public String toString() {
        return "Kafka on " + bootstrapServers();
    }
}
