package outbox.kafka;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Uuid;

/**
 * A real broker of one node, controller and all, in a JVM of its own on the loopback interface: it can be stopped in its
 * tracks, killed and started again on the same port and data.
 */
final class KafkaBroker implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofMinutes(2);

    private static final class Shared {
        private static final KafkaBroker BROKER = start();
    }

    private final Path directory;
    private final int port;
    private Process process;

    private KafkaBroker() throws IOException {
        this.directory = Files.createTempDirectory("outbox-kafka");
        this.port = freePort();
        int controllerPort = freePort();
        Files.writeString(
                directory.resolve("server.properties"), """
                process.roles=broker,controller
                node.id=1
                controller.quorum.voters=1@127.0.0.1:%2$d
                listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
                advertised.listeners=PLAINTEXT://127.0.0.1:%1$d
                controller.listener.names=CONTROLLER
                log.dirs=%3$s
                num.partitions=4
                offsets.topic.replication.factor=1
                transaction.state.log.replication.factor=1
                transaction.state.log.min.isr=1
                group.initial.rebalance.delay.ms=0
                """.formatted(port, controllerPort, directory.resolve("data")));
    }

    /** The one broker of this JVM, for tests that do it no harm. */
    static KafkaBroker shared() {
        return Shared.BROKER;
    }

    static KafkaBroker start() {
        try {
            KafkaBroker broker = new KafkaBroker();
            Runtime.getRuntime().addShutdownHook(new Thread(broker::close));
            broker.format();
            broker.startAgain();
            return broker;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String bootstrapServers() {
        return "127.0.0.1:" + port;
    }

    private void format() throws IOException {
        Process format = java(
                "kafka.tools.StorageTool",
                "format",
                "--cluster-id",
                Uuid.randomUuid().toString(),
                "--config",
                configuration());
        awaitEnd(format);
        if (format.exitValue() != 0) {
            throw new IllegalStateException("the broker's storage could not be formatted: " + log());
        }
    }

    private String configuration() {
        return directory.resolve("server.properties").toString();
    }

    private Process java(String mainClass, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx384m",
                "-cp",
                System.getProperty("java.class.path"),
                mainClass));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("log").toFile()))
                .start();
    }

    private String log() throws IOException {
        String text = Files.readString(directory.resolve("log"));
        return text.substring(Math.max(0, text.length() - 2000));
    }

    /** Starts the broker, on the data it had, and returns when it answers. */
    void startAgain() {
        try {
            process = java(BrokerMain.class.getName(), configuration());
            long deadline = System.nanoTime() + START_LIMIT.toNanos();
            while (!answers()) {
                if (!process.isAlive() || System.nanoTime() > deadline) {
                    throw new IllegalStateException("the broker did not start: " + log());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean answers() {
        try (Admin admin = Admin.create(Map.of(
                "bootstrap.servers", bootstrapServers(), "request.timeout.ms", 1000, "default.api.timeout.ms", 2000))) {
            return !admin.describeCluster().nodes().get().isEmpty();
        } catch (Exception e) {
            return false;
        }
    }

    /** The broker does nothing any more, and its connections stay open: a stalled machine. */
    void pause() {
        signal("STOP");
    }

    void resume() {
        signal("CONT");
    }

    /** The broker is gone, without a word. */
    void kill() {
        process.destroyForcibly();
        awaitEnd(process);
    }

    private void signal(String name) {
        try {
            awaitEnd(new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void awaitEnd(Process process) {
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("a process does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Below the range that systems take ports for outgoing connections from, so that it is free again after a kill. */
    private static int freePort() {
        for (int attempt = 0; attempt < 100; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"))) {
                return socket.getLocalPort();
            } catch (IOException e) {
                continue;
            }
        }
        throw new IllegalStateException("no free port");
    }

    @Override
    public void close() {
        if (process != null) {
            kill();
        }
        if (!Files.exists(directory)) {
            return; // closed before
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
