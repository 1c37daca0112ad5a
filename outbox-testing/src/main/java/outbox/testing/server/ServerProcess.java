package outbox.testing.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * One run of a server, from start to end, and the guard that ends it when this JVM cannot.
 *
 * <p>The guard is a shell that reads from a pipe of which this JVM holds the other end. When the JVM is killed, the
 * pipe breaks, and the guard ends the server and deletes its directory. It needs no privileges and nothing but a POSIX
 * shell, and works for {@code kill -9}, where shutdown hooks do not.
 */
final class ServerProcess {

    private static final Duration GRACE = Duration.ofSeconds(30);
    private static final Duration DESCENDANTS_GRACE = Duration.ofSeconds(2);

    /** Arguments: process id, signal, directory. Ignores the signals a terminal sends to the whole group. */
    private static final String GUARD = """
            trap '' INT HUP
            read -r _
            kill -s "$2" "$1"
            i=0
            while kill -0 "$1" 2>/dev/null && [ $i -lt 50 ]; do sleep 0.1; i=$((i + 1)); done
            kill -s KILL "$1"
            rm -rf "$3"
            """;

    private final Process server;

    /** Held so that its pipe stays open as long as this object lives. */
    private final Process guard;

    private ServerProcess(Process server, Process guard) {
        this.server = server;
        this.guard = guard;
    }

    static ServerProcess start(Command command, ServerDirectory directory, String abandonSignal) {
        try {
            Process server = command.start(directory.log(), null);
            Process guard = startGuard(server, directory, abandonSignal);
            // A guard that outlived its server could one day hit a stranger under the same process id.
            CompletableFuture<Void> unused = server.onExit().thenRun(guard::destroyForcibly);
            return new ServerProcess(server, guard);
        } catch (IOException e) {
            throw new UncheckedIOException(command.words().get(0) + " cannot be started: " + e.getMessage(), e);
        }
    }

    private static Process startGuard(Process server, ServerDirectory directory, String abandonSignal)
            throws IOException {
        try {
            return new ProcessBuilder(
                            "sh",
                            "-c",
                            GUARD,
                            "outbox-server-guard",
                            Long.toString(server.pid()),
                            abandonSignal,
                            directory.root().toString())
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            server.destroyForcibly();
            throw e;
        }
    }

    long pid() {
        return server.pid();
    }

    boolean isAlive() {
        return server.isAlive();
    }

    int exitCode() {
        return server.exitValue();
    }

    /** Sends the signal and waits for the end; what does not end is killed. */
    void end(String signal) {
        boolean sent = new Command(List.of("sh", "-c", "kill -s \"$1\" \"$2\"", "sh", signal, Long.toString(pid())))
                .succeeds();
        if (!sent || !endsWithin(server.toHandle(), GRACE)) {
            kill();
        }
        guard.destroyForcibly();
    }

    /** Kills the server and all processes it has started, as a power failure would. */
    void kill() {
        try (Stream<ProcessHandle> running = server.descendants()) {
            List<ProcessHandle> descendants = running.toList();
            server.destroyForcibly();
            descendants.forEach(ProcessHandle::destroyForcibly);
            endsWithin(server.toHandle(), GRACE);
            descendants.forEach(descendant -> endsWithin(descendant, DESCENDANTS_GRACE));
        }
        guard.destroyForcibly();
    }

    private static boolean endsWithin(ProcessHandle process, Duration timeout) {
        CompletableFuture<ProcessHandle> exit = process.onExit();
        try {
            exit.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException | ExecutionException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return !process.isAlive();
        }
    }
}
