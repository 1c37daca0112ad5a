package outbox.testing.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A database server started by this JVM, which can be crashed, stopped and restarted. It listens only on the loopback
 * interface, on a fixed port, and keeps its files in its own temporary directory.
 *
 * <p>It ends with {@link #close()}, and at the latest with the JVM, even if that is killed. Thread-safe; operations on
 * its life run one after the other.
 *
 * <pre>{@code
 * try (EmbeddedServer server = EmbeddedPostgres.start(ServerOptions.defaults())) {
 *     TestDatabase database = server.freshDatabase();
 *     ...
 *     server.restart(); // a crash: what was committed is still there
 * }
 * }</pre>
 */
public final class EmbeddedServer extends JdbcServer implements AutoCloseable {

    private static final Logger LOG = System.getLogger(EmbeddedServer.class.getName());
    private static final int PORT_ATTEMPTS = 3;
    private static final int PROBE_INTERVAL_MILLIS = 50;

    private final ServerProgram program;
    private final ServerOptions options;
    private final IntSupplier ports;
    private final ServerDirectory directory;
    private final ServerGuard guard;

    private volatile int port;
    private volatile @Nullable ServerProcess process;
    private boolean closed;

    private EmbeddedServer(ServerProgram program, ServerOptions options, IntSupplier ports) {
        super(program.kind());
        this.program = program;
        this.options = options;
        this.ports = ports;
        this.directory = ServerDirectory.create(program.kind());
        this.guard = ServerGuard.over(directory, program.abandonSignal());
    }

    static EmbeddedServer launch(ServerProgram program, ServerOptions options) {
        return launch(program, options, FreePort::find);
    }

    static EmbeddedServer launch(ServerProgram program, ServerOptions options, IntSupplier ports) {
        EmbeddedServer server = new EmbeddedServer(program, options, ports);
        try {
            FirstData.fill(server.directory, program, options.startTimeout());
            program.admit(server.directory);
            server.startOnFreePort();
            return server;
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /** Returns the port on 127.0.0.1, the same before and after a restart. */
    public int port() {
        return port;
    }

    /** Returns the id of the server's main process; another one after each start. */
    public long pid() {
        return requireProcess().pid();
    }

    /** Tells whether the server's main process runs. */
    public boolean isRunning() {
        ServerProcess current = process;
        return current != null && current.isAlive();
    }

    /** Returns the directory that holds the server's data, log and temporary files and nothing else. */
    public Path directory() {
        return directory.root();
    }

    /** Returns the last lines of the server's log. */
    public String logTail() {
        return directory.logTail();
    }

    /** Ends the server as a crash of the machine's software would: no warning, no flush. Does nothing if it is down. */
    public synchronized void kill() {
        ServerProcess current = process;
        if (current != null) {
            current.kill();
            process = null;
        }
    }

    /** Ends the server in good order, without waiting for clients to disconnect. Does nothing if it is down. */
    public synchronized void stop() {
        ServerProcess current = process;
        if (current != null) {
            current.end(program.stopSignal());
            process = null;
        }
    }

    /** Starts the server again, on the same port and data, and returns when it answers. */
    public synchronized void start() {
        if (closed) {
            throw new IllegalStateException(this + " is closed; its data is gone. Start a new server instead.");
        }
        if (isRunning()) {
            throw new IllegalStateException(this + " is already running");
        }
        try {
            Files.deleteIfExists(program.lockFile(directory));
        } catch (IOException e) {
            throw new UncheckedIOException("The lock file of the ended server cannot be removed", e);
        }
        startAndAwait();
    }

    /** Crashes the server and starts it again at once: {@link #kill()}, then {@link #start()}. */
    public synchronized void restart() {
        kill();
        start();
    }

    /** Ends the server and deletes all it has written. Does nothing the second time. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        ServerProcess current = process;
        if (current != null) {
            current.end(program.abandonSignal());
            process = null;
        }
        directory.delete();
        guard.dismiss();
    }

    private synchronized void startOnFreePort() {
        for (int attempt = 1; ; attempt++) {
            port = ports.getAsInt();
            try {
                startAndAwait();
                return;
            } catch (IllegalStateException e) {
                boolean portWasTaken = directory.logTail().contains("Address already in use");
                if (!portWasTaken || attempt == PORT_ATTEMPTS) {
                    throw e;
                }
                LOG.log(Level.DEBUG, "Port " + port + " was taken meanwhile; another one is tried");
            }
        }
    }

    private void startAndAwait() {
        long begin = System.nanoTime();
        ServerProcess started = ServerProcess.start(
                program.serve(directory, port, options).with(options.environment()), directory, guard);
        process = started;
        try {
            awaitAnswer(started, begin);
        } catch (RuntimeException e) {
            started.kill();
            process = null;
            throw e;
        }
        LOG.log(
                Level.INFO,
                () -> String.format(
                        Locale.ROOT,
                        "%s answers after %.1f s (process %d, files in %s)",
                        this,
                        (System.nanoTime() - begin) / 1e9,
                        started.pid(),
                        directory.root()));
    }

    private void awaitAnswer(ServerProcess started, long begin) {
        Duration timeout = options.startTimeout();
        String lastAnswer = "none";
        while (System.nanoTime() - begin < timeout.toNanos()) {
            if (!started.isAlive()) {
                throw new IllegalStateException(this + " ended with exit code " + started.exitCode()
                        + " while starting. Its log ends with:\n" + directory.logTail());
            }
            try {
                if (isOwnData(ask(program.dataDirectoryQuery()))) {
                    return;
                }
                lastAnswer = "another server listens on this port";
            } catch (SQLException e) {
                lastAnswer = String.valueOf(e.getMessage());
            }
            pause();
        }
        throw new IllegalStateException(this + " did not answer within " + timeout.toSeconds()
                + " s. The last attempt said: " + lastAnswer + "\nIts log ends with:\n" + directory.logTail());
    }

    /** Keeps a server that has taken the port first from passing as this one in the moment before this one gives up. */
    private boolean isOwnData(String answer) {
        try {
            return Files.isSameFile(Path.of(answer), directory.data());
        } catch (IOException e) {
            return false;
        }
    }

    private void pause() {
        try {
            Thread.sleep(PROBE_INTERVAL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for " + this + " to start", e);
        }
    }

    private ServerProcess requireProcess() {
        ServerProcess current = process;
        if (current == null) {
            throw new IllegalStateException(this + " is not running");
        }
        return current;
    }

    @Override
    public String jdbcUrl(String database) {
        return program.jdbcUrl(port, database);
    }

    @Override
    public String username() {
        return program.username();
    }

    @Override
    public String password() {
        return program.password();
    }

    @Override
    public String toString() {
        return kind().title() + " on " + FreePort.LOOPBACK + ":" + port;
    }
}
