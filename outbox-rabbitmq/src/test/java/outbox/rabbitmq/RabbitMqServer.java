package outbox.rabbitmq;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * A real RabbitMQ, as installed on this machine, with directories, ports and an Erlang port mapper of its own: it does
 * not meet another one that may run here.
 */
final class RabbitMqServer implements AmqpBroker {
    static final String PROGRAM = "rabbitmq-server";
    static final String INSTALL = "apt-get install rabbitmq-server";

    /** Ends what the last line names when this JVM is gone and can not do so itself. */
    private static final String GUARD = """
            trap '' INT HUP
            pids=
            while read -r line; do pids=$line; done
            [ -n "$pids" ] || exit
            kill -s KILL $pids
            rm -rf "$1"
            """;

    private static final Path SCRIPT = Path.of("/usr/lib/rabbitmq/bin/rabbitmq-server");
    private static final Duration START_LIMIT = Duration.ofMinutes(2);

    private final Path directory;
    private final int port = FreePort.find();
    private final Map<String, String> environment;
    private final Process guard;
    private Process epmd;
    private Process server;

    private RabbitMqServer() throws IOException {
        this.directory = Files.createTempDirectory("outbox-rabbitmq");
        this.guard = new ProcessBuilder("sh", "-c", GUARD, "rabbitmq-guard", directory.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        Files.writeString(directory.resolve("plugins"), "[].");
        Files.writeString(directory.resolve("rabbitmq.conf"), "");
        this.environment = Map.ofEntries(
                Map.entry("HOME", directory.toString()),
                Map.entry("RABBITMQ_NODENAME", "outbox-" + port + "@localhost"),
                Map.entry("RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1"),
                Map.entry("RABBITMQ_NODE_PORT", Integer.toString(port)),
                Map.entry("RABBITMQ_DIST_PORT", Integer.toString(FreePort.find())),
                Map.entry("ERL_EPMD_PORT", Integer.toString(FreePort.find())),
                Map.entry("ERL_EPMD_ADDRESS", "127.0.0.1"),
                Map.entry("RABBITMQ_MNESIA_BASE", directory.resolve("data").toString()),
                Map.entry("RABBITMQ_LOG_BASE", directory.resolve("log").toString()),
                Map.entry("RABBITMQ_PID_FILE", directory.resolve("pid").toString()),
                Map.entry("RABBITMQ_CONFIG_FILE", directory.resolve("rabbitmq").toString()),
                Map.entry(
                        "RABBITMQ_ENABLED_PLUGINS_FILE",
                        directory.resolve("plugins").toString()),
                Map.entry("RABBITMQ_CONF_ENV_FILE", "/dev/null"));
    }

    static boolean isInstalled() {
        return Files.isExecutable(SCRIPT);
    }

    static RabbitMqServer start() {
        try {
            RabbitMqServer broker = new RabbitMqServer();
            Runtime.getRuntime().addShutdownHook(new Thread(broker::close));
            broker.epmd = broker.run("epmd");
            broker.startServer();
            return broker;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Process run(String program) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(program)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("output").toFile()));
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** The program is a script; the server it starts leaves its own id. */
    private String serverPid() throws IOException {
        return Files.readString(directory.resolve("pid")).strip();
    }

    private void watch(String pids) throws IOException {
        guard.getOutputStream().write((pids + "\n").getBytes(StandardCharsets.US_ASCII));
        guard.getOutputStream().flush();
    }

    private void startServer() {
        try {
            server = run(SCRIPT.toString());
            long deadline = System.nanoTime() + START_LIMIT.toNanos();
            while (!answers()) {
                if (!server.isAlive() || System.nanoTime() > deadline) {
                    throw new IllegalStateException(
                            "RabbitMQ did not start: " + Files.readString(directory.resolve("output")));
                }
                Pause.seconds(0.2);
            }
            watch(epmd.pid() + " " + server.pid() + " " + serverPid());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean answers() {
        try (Connection connection = factory().newConnection()) {
            return connection.isOpen();
        } catch (IOException | TimeoutException e) {
            return false;
        }
    }

    @Override
    public ConnectionFactory factory() {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(port);
        return factory;
    }

    @Override
    public void pause() {
        signal("STOP");
    }

    @Override
    public void resume() {
        signal("CONT");
    }

    private void signal(String name) {
        try {
            new ProcessBuilder("kill", "-" + name, serverPid()).start().waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A crash: no warning, no flush. */
    @Override
    public void restart() {
        try {
            watch(Long.toString(epmd.pid())); // the server's id may soon be that of a stranger
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        end(server);
        startServer();
    }

    private static void end(Process process) {
        List<ProcessHandle> children = process.descendants().toList();
        process.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
        try {
            process.waitFor(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        if (!Files.exists(directory)) {
            return; // closed before
        }
        for (Process process : new Process[] {server, epmd}) {
            if (process != null) {
                end(process);
            }
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
            watch("");
            guard.getOutputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
