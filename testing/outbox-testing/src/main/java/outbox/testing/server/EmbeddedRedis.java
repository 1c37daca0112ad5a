package outbox.testing.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Redis 6.2 for tests, with every write on disk before it is answered. It listens on the loopback interface only, under
 * one port for its whole life, and ends with the JVM at the latest. Thread-safe.
 *
 * <p>Needs {@code com.github.codemonstur:embedded-redis} in test scope (all its transitive dependencies can be
 * excluded).
 *
 * <p>To use your own server for {@link #shared()}, set the system property {@code outbox.test.redis.url} or the
 * environment variable {@code OUTBOX_TEST_REDIS_URL}, for example {@code redis://localhost:6379}. Tests write keys that
 * start with {@code outbox:}.
 */
public final class EmbeddedRedis implements AutoCloseable {

    private static final int PROBE_INTERVAL_MILLIS = 10;
    private static final int PROBE_TIMEOUT_MILLIS = 1_000;
    private static final Object SHARED_LOCK = new Object();

    private static @Nullable String sharedUri;

    private final List<String> program;
    private final ServerDirectory directory;
    private final ServerGuard guard;
    private final int port = FreePort.find();

    private @Nullable ServerProcess process;
    private boolean closed;

    private enum Kind implements ServerKind {
        REDIS;

        @Override
        public String title() {
            return "Redis";
        }

        @Override
        public String id() {
            return "redis";
        }

        @Override
        public String property() {
            return "outbox.test.redis";
        }
    }

    private EmbeddedRedis() {
        this.program =
                List.of(new UnpackedArtifact(Kind.REDIS, resource(), "com.github.codemonstur:embedded-redis:1.4.4")
                        .program()
                        .toString());
        this.directory = ServerDirectory.create(Kind.REDIS);
        this.guard = ServerGuard.over(directory, "TERM");
    }

    private static String resource() {
        boolean arm = System.getProperty("os.arch").equals("aarch64");
        if (System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("mac")) {
            return "redis-server-6.2.6-v5-darwin-" + (arm ? "arm64" : "amd64");
        }
        return arm ? "redis-server-6.2.7-linux-arm64" : "redis-server-6.2.6-v5-linux-amd64";
    }

    /** Returns the URI of the one server of this JVM, starting it on the first call; it ends with the JVM. */
    public static String shared() {
        synchronized (SHARED_LOCK) {
            if (sharedUri == null) {
                String configured = System.getProperty("outbox.test.redis.url", System.getenv("OUTBOX_TEST_REDIS_URL"));
                sharedUri = configured == null || configured.isBlank() ? launch().uri() : configured;
            }
            return sharedUri;
        }
    }

    /** Starts a server that belongs to the caller. */
    public static EmbeddedRedis launch() {
        EmbeddedRedis server = new EmbeddedRedis();
        try {
            server.start();
            return server;
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /** Returns the address clients connect to, the same before and after a restart. */
    public String uri() {
        return "redis://" + FreePort.LOOPBACK + ":" + port;
    }

    /** Returns the port on 127.0.0.1. */
    public int port() {
        return port;
    }

    /** Starts the server again, on the same port and data, and returns when it answers. */
    public synchronized void start() {
        if (closed || process != null) {
            throw new IllegalStateException(this + (closed ? " is closed" : " is already running"));
        }
        process = ServerProcess.start(new Command(command()), directory, guard);
        awaitAnswer(process);
    }

    private List<String> command() {
        return List.of(
                program.get(0),
                "--port",
                Integer.toString(port),
                "--bind",
                FreePort.LOOPBACK,
                "--dir",
                directory.data().toString(),
                "--save",
                "",
                "--appendonly",
                "yes",
                "--appendfsync",
                "always");
    }

    /** Ends the server as a crash would. Does nothing if it is down. */
    public synchronized void kill() {
        if (process != null) {
            process.kill();
            process = null;
        }
    }

    /** Ends the server and deletes all it has written. Does nothing the second time. */
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

    private void awaitAnswer(ServerProcess started) {
        Duration timeout = ServerOptions.DEFAULT_START_TIMEOUT;
        long begin = System.nanoTime();
        while (!answersWithOwnData()) {
            if (!started.isAlive() || System.nanoTime() - begin > timeout.toNanos()) {
                started.kill();
                process = null;
                throw new IllegalStateException(this + " does not answer. Its log ends with:\n" + directory.logTail());
            }
            pause();
        }
    }

    /** Asks for the data directory, since another server may have taken the port, and whether the data is loaded. */
    private boolean answersWithOwnData() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(FreePort.loopback(), port), PROBE_TIMEOUT_MILLIS);
            socket.setSoTimeout(PROBE_TIMEOUT_MILLIS);
            socket.getOutputStream().write("CONFIG GET dir\r\nPING\r\nQUIT\r\n".getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return answer.contains(directory.data().toRealPath().toString()) && answer.contains("+PONG");
        } catch (IOException e) {
            return false;
        }
    }

    private static void pause() {
        try {
            Thread.sleep(PROBE_INTERVAL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new IOException("Interrupted while waiting for Redis to start", e));
        }
    }

    @Override
    public String toString() {
        return "Redis on " + FreePort.LOOPBACK + ":" + port;
    }
}
