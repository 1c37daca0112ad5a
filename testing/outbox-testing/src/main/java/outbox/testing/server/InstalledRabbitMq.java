package outbox.testing.server;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A real RabbitMQ for tests, as installed on this machine by its package, with directories, ports and an Erlang port
 * mapper of its own: it does not meet another one that may run here. It listens on the loopback interface only; user and
 * password are {@code guest}. It ends with this JVM at the latest. Thread-safe.
 */
public final class InstalledRabbitMq implements AutoCloseable {
    /** The program that must be there. */
    public static final String PROGRAM = "rabbitmq-server";
    /** How it gets there. */
    public static final String INSTALL = "apt-get install rabbitmq-server";

    /** Kills what the last line names when this JVM is gone, see {@link ServerGuard}; a negative id is a process group. */
    private static final String GUARD = """
            trap '' INT HUP TERM
            pids=
            while read -r line; do pids=$line; done
            [ -z "$pids" ] || kill -s KILL -- $pids
            i=0
            until rm -rf "$1" || [ $i -ge 20 ]; do sleep 0.5; i=$((i + 1)); done
            """;

    private static final Path SCRIPT = Path.of("/usr/lib/rabbitmq/bin/rabbitmq-server");
    private static final Path CONTROL = SCRIPT.resolveSibling("rabbitmqctl");
    private static final byte[] HEADER = {'A', 'M', 'Q', 'P', 0, 0, 9, 1};
    private static final int METHOD_FRAME = 1;
    private static final int PROBE_INTERVAL_MILLIS = 200;
    private static final int PROBE_TIMEOUT_MILLIS = 2_000;
    private static final int END_TIMEOUT_SECONDS = 30;
    /** Erlang takes its time on a busy machine. */
    private static final Duration START_LIMIT = Duration.ofMinutes(3);

    private static final Object SHARED_LOCK = new Object();

    private static @Nullable String sharedUri;

    private final ServerDirectory directory = ServerDirectory.create(Kind.RABBITMQ);
    private final int port = FreePort.find();
    private final Map<String, String> environment;
    private final Process guard;
    private @Nullable Process epmd;
    private @Nullable Process server;
    private boolean closed;

    private enum Kind implements ServerKind {
        RABBITMQ;

        @Override
        public String title() {
            return "RabbitMQ";
        }

        @Override
        public String id() {
            return "rabbitmq";
        }

        @Override
        public String property() {
            return "outbox.test.rabbitmq";
        }
    }

    private InstalledRabbitMq() throws IOException {
        Path root = directory.root();
        this.guard = new ProcessBuilder("sh", "-c", GUARD, "outbox-rabbitmq-guard", root.toString())
                .redirectErrorStream(true)
                .redirectOutput(Redirect.DISCARD)
                .start();
        Files.writeString(root.resolve("plugins"), "[].");
        Files.writeString(root.resolve("rabbitmq.conf"), "");
        this.environment = Map.ofEntries(
                Map.entry("HOME", root.toString()),
                Map.entry("RABBITMQ_NODENAME", "outbox-" + port + "@localhost"),
                Map.entry("RABBITMQ_NODE_IP_ADDRESS", FreePort.LOOPBACK),
                Map.entry("RABBITMQ_NODE_PORT", Integer.toString(port)),
                Map.entry("RABBITMQ_DIST_PORT", Integer.toString(FreePort.find())),
                Map.entry("ERL_EPMD_PORT", Integer.toString(FreePort.find())),
                Map.entry("ERL_EPMD_ADDRESS", FreePort.LOOPBACK),
                Map.entry("RABBITMQ_MNESIA_BASE", directory.data().toString()),
                Map.entry("RABBITMQ_LOG_BASE", directory.temporary().toString()),
                Map.entry("RABBITMQ_PID_FILE", root.resolve("pid").toString()),
                Map.entry("RABBITMQ_CONFIG_FILE", root.resolve("rabbitmq").toString()),
                Map.entry(
                        "RABBITMQ_ENABLED_PLUGINS_FILE", root.resolve("plugins").toString()),
                Map.entry("RABBITMQ_CONF_ENV_FILE", "/dev/null"),
                Map.entry("ERL_CRASH_DUMP", root.resolve("crash.dump").toString()));
    }

    /** Tells whether the package is there. */
    public static boolean isInstalled() {
        return Files.isExecutable(SCRIPT);
    }

    /** Returns the URI of the one server of this JVM, starting it on the first call; it ends with the JVM. */
    public static String shared() {
        synchronized (SHARED_LOCK) {
            if (sharedUri == null) {
                sharedUri = launch().uri();
            }
            return sharedUri;
        }
    }

    /** Starts a server that belongs to the caller. */
    public static InstalledRabbitMq launch() {
        if (!isInstalled()) {
            throw new IllegalStateException("RabbitMQ is not installed here; " + INSTALL);
        }
        InstalledRabbitMq broker;
        try {
            broker = new InstalledRabbitMq();
        } catch (IOException e) {
            throw new UncheckedIOException("RabbitMQ's directory cannot be set up", e);
        }
        try {
            broker.epmd = broker.run(List.of("epmd"));
            broker.watch(Long.toString(broker.mapperPid()));
            broker.startServer();
            return broker;
        } catch (RuntimeException e) {
            broker.close();
            throw e;
        }
    }

    /** Returns the port on 127.0.0.1, the same before and after a restart. */
    public int port() {
        return port;
    }

    /** Returns the address clients connect to. */
    public String uri() {
        return "amqp://guest:guest@" + FreePort.LOOPBACK + ":" + port;
    }

    private Process run(List<String> words) {
        ProcessBuilder builder = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.appendTo(directory.log().toFile()));
        builder.environment().putAll(environment);
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(words.get(0) + " cannot be started", e);
        }
    }

    private synchronized void startServer() {
        // The script and the processes it starts are a group, which the guard can kill before the broker answers.
        Process started = run(List.of("setsid", SCRIPT.toString()));
        server = started;
        watch(mapperPid() + " -" + started.pid());
        long begin = System.nanoTime();
        while (!answers()) {
            if (!started.isAlive() || System.nanoTime() - begin > START_LIMIT.toNanos()) {
                throw new IllegalStateException("RabbitMQ did not start. Its log ends with:\n" + directory.logTail());
            }
            pauseBetweenProbes();
        }
    }

    /** Greets as a client does; the broker answers with its first method. */
    private boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(FreePort.loopback(), port), PROBE_TIMEOUT_MILLIS);
            socket.setSoTimeout(PROBE_TIMEOUT_MILLIS);
            socket.getOutputStream().write(HEADER);
            return socket.getInputStream().read() == METHOD_FRAME;
        } catch (IOException e) {
            return false;
        }
    }

    private static void pauseBetweenProbes() {
        try {
            Thread.sleep(PROBE_INTERVAL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for RabbitMQ to start", e);
        }
    }

    private long mapperPid() {
        return epmd == null ? 0 : epmd.pid();
    }

    /** The program is a script; the server it starts leaves its own id. */
    private String serverPid() {
        try {
            return Files.readString(directory.root().resolve("pid")).strip();
        } catch (IOException e) {
            throw new UncheckedIOException("RabbitMQ has not left its process id", e);
        }
    }

    private void watch(String pids) {
        try {
            OutputStream pipe = guard.getOutputStream();
            pipe.write((pids + "\n").getBytes(StandardCharsets.US_ASCII));
            pipe.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("The guard of RabbitMQ is gone", e);
        }
    }

    /** The broker does nothing any more, and its connections stay open: a stalled machine. */
    public void pause() {
        signal("STOP");
    }

    /** Ends a {@link #pause()}. */
    public void resume() {
        signal("CONT");
    }

    private void signal(String name) {
        if (!new Command(List.of("kill", "-" + name, serverPid())).succeeds()) {
            throw new IllegalStateException("RabbitMQ does not take the signal " + name);
        }
    }

    /** Runs {@code rabbitmqctl} with these arguments on this server. */
    public void control(String... arguments) {
        List<String> words = new ArrayList<>(List.of(CONTROL.toString()));
        words.addAll(List.of(arguments));
        try {
            Process process = run(words);
            if (!process.waitFor(START_LIMIT.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IllegalStateException(
                        String.join(" ", words) + " failed. The log ends with:\n" + directory.logTail());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for rabbitmqctl", e);
        }
    }

    /** A crash, no warning, no flush; then it is there again with what it had confirmed. */
    public synchronized void restart() {
        watch(Long.toString(mapperPid())); // the server's id may soon be that of a stranger
        end(server);
        startServer();
    }

    private static void end(@Nullable Process process) {
        if (process == null) {
            return;
        }
        List<ProcessHandle> children;
        try (Stream<ProcessHandle> running = process.descendants()) {
            children = running.toList();
        }
        process.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
        try {
            process.waitFor(END_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the broker and deletes all it has written. Does nothing the second time. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        end(server);
        end(epmd);
        directory.delete();
        guard.destroyForcibly();
    }

    @Override
    public String toString() {
        return "RabbitMQ on " + FreePort.LOOPBACK + ":" + port;
    }
}
