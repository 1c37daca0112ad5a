package outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Uuid;

/** Brokers that are controllers too, each in a JVM of its own, on the loopback interface. */
final class KafkaCluster implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final Path directory;
    private final List<Integer> ports = new ArrayList<>();
    private final Process[] brokers;

    KafkaCluster(Path directory, int size) throws Exception {
        this.directory = directory;
        this.brokers = new Process[size];
        List<Integer> controllers = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            ports.add(freePort());
            controllers.add(freePort());
        }
        String voters = IntStream.range(0, size)
                .mapToObj(i -> i + "@127.0.0.1:" + controllers.get(i))
                .collect(Collectors.joining(","));
        String id = Uuid.randomUuid().toString();
        try {
            for (int i = 0; i < size; i++) {
                Files.writeString(configuration(i), """
                        process.roles=broker,controller
                        node.id=%1$d
                        controller.quorum.voters=%2$s
                        listeners=PLAINTEXT://127.0.0.1:%3$d,CONTROLLER://127.0.0.1:%4$d
                        advertised.listeners=PLAINTEXT://127.0.0.1:%3$d
                        controller.listener.names=CONTROLLER
                        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
                        log.dirs=%5$s
                        broker.session.timeout.ms=3000
                        broker.heartbeat.interval.ms=500
                        offsets.topic.num.partitions=1
                        group.initial.rebalance.delay.ms=0
                        """.formatted(
                                i, voters, ports.get(i), controllers.get(i), directory.resolve("data-" + i)));
                Process format = java(i, "kafka.tools.StorageTool", "format", "--cluster-id=" + id, "--config");
                assertThat(format.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS) && format.exitValue() == 0)
                        .as(() -> "formatted, see " + log(0))
                        .isTrue();
            }
            for (int i = 0; i < size; i++) {
                start(i);
            }
            awaitBrokers(size);
        } catch (Exception | AssertionError e) {
            close();
            throw e;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private Path configuration(int broker) {
        return directory.resolve("broker-" + broker + ".properties");
    }

    private Path log(int broker) {
        return directory.resolve("broker-" + broker + ".log");
    }

    private Process java(int broker, String mainClass, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                mainClass));
        command.addAll(List.of(arguments));
        command.add(configuration(broker).toString());
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log(broker).toFile()))
                .start();
    }

    void start(int broker) throws IOException {
        brokers[broker] = java(broker, "kafka.Kafka");
    }

    void kill(int broker) {
        brokers[broker].destroyForcibly().onExit().join();
    }

    String bootstrapServers() {
        return ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
    }

    void awaitBrokers(int count) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
            await().atMost(LIMIT)
                    .ignoreExceptions()
                    .until(() -> admin.describeCluster()
                                    .nodes()
                                    .get(10, TimeUnit.SECONDS)
                                    .size()
                            == count);
        }
    }

    /** A copy on each broker; a record counts as written when two have it. */
    void createTopic(String name) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
            admin.createTopics(List.of(
                            new NewTopic(name, 4, (short) brokers.length).configs(Map.of("min.insync.replicas", "2"))))
                    .all()
                    .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Override
    public void close() {
        for (Process broker : brokers) {
            if (broker != null) {
                broker.destroyForcibly().onExit().join();
            }
        }
    }
}
