package outbox.testing.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Not run where RabbitMQ is not installed, unless {@code -Doutbox.test.required=rabbitmq-server} asks for it. */
class InstalledRabbitMqIT {
    private static final Duration LIMIT = Duration.ofMinutes(3);

    @TempDir
    Path temporary;

    @BeforeEach
    void needsRabbitMq() {
        boolean required = List.of(
                        System.getProperty("outbox.test.required", "").split(","))
                .contains(InstalledRabbitMq.PROGRAM);
        Assumptions.assumeTrue(
                required || InstalledRabbitMq.isInstalled(), "NOT RUN: needs RabbitMQ; " + InstalledRabbitMq.INSTALL);
    }

    /** Runs in another JVM. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) throws IOException {
            InstalledRabbitMq broker = InstalledRabbitMq.launch();
            System.out.println(broker.uri());
            System.exit(System.in.read());
        }
    }

    private Process start() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-D" + ServerDirectory.PARENT + "=" + temporary,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Program.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    @Test
    void noProcessIsLeftWhenTheJvmIsKilledWhileTheBrokerStarts() throws Exception {
        Process jvm = start();
        await().atMost(LIMIT).until(this::brokerHasWrittenData);

        killAndAwaitTheEndOf(new HashSet<>(descendants(jvm)), jvm);
    }

    @Test
    void noProcessIsLeftWhenTheJvmIsKilledWhileTheBrokerRuns() throws Exception {
        Process jvm = start();
        assertThat(jvm.inputReader().readLine()).startsWith("amqp://");

        killAndAwaitTheEndOf(new HashSet<>(descendants(jvm)), jvm);
    }

    private void killAndAwaitTheEndOf(Set<ProcessHandle> started, Process jvm) throws Exception {
        jvm.destroyForcibly();
        assertThat(jvm.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        await().atMost(LIMIT).untilAsserted(() -> {
            assertThat(started).noneMatch(InstalledRabbitMqIT::isRunning);
            assertThat(directories()).isEmpty();
        });
    }

    /** It is a node of Erlang then, and does not yet answer clients. */
    private boolean brokerHasWrittenData() throws IOException {
        for (Path directory : directories()) {
            Path data = directory.resolve("data");
            if (Files.isDirectory(data)) {
                try (Stream<Path> written = Files.list(data)) {
                    if (written.findAny().isPresent()) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private List<Path> directories() throws IOException {
        try (Stream<Path> entries = Files.list(temporary)) {
            return entries.filter(entry -> entry.getFileName().toString().contains("rabbitmq"))
                    .toList();
        }
    }

    private static List<ProcessHandle> descendants(Process jvm) {
        try (Stream<ProcessHandle> descendants = jvm.descendants()) {
            return descendants.toList();
        }
    }

    /** An ended process that its new parent has not taken notice of yet has no command line any more. */
    private static boolean isRunning(ProcessHandle process) {
        try {
            return process.isAlive()
                    && !Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"))
                            .isEmpty();
        } catch (IOException e) {
            return false;
        }
    }
}
