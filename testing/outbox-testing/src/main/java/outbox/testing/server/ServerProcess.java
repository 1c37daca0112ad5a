package outbox.testing.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** One run of a server, from start to end. */
final class ServerProcess {

    private static final Duration GRACE = Duration.ofSeconds(30);
    private static final int POLL_MILLIS = 10;

    private final Process server;

    private ServerProcess(Process server) {
        this.server = server;
    }

    static ServerProcess start(Command command, ServerDirectory directory, ServerGuard guard) {
        try {
            Process server = command.start(directory.log(), null);
            guard.watch(server.pid());
            CompletableFuture<Void> unused = server.onExit().thenRun(() -> guard.forget(server.pid()));
            return new ServerProcess(server);
        } catch (IOException e) {
            throw new UncheckedIOException(command.words().get(0) + " cannot be started: " + e.getMessage(), e);
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
        if (!signal(signal) || !endsInTime()) {
            kill();
        }
    }

    /** Sends the signal and tells whether that went well. */
    boolean signal(String name) {
        return new Command(List.of("sh", "-c", "kill -s \"$1\" \"$2\"", "sh", name, Long.toString(pid()))).succeeds();
    }

    /** Kills the server and all processes it has started, as a power failure would. */
    void kill() {
        List<ProcessHandle> descendants;
        try (Stream<ProcessHandle> running = server.descendants()) {
            descendants = running.toList();
        }
        server.destroyForcibly();
        descendants.forEach(ProcessHandle::destroyForcibly);
        endsInTime();
        descendants.forEach(ServerProcess::awaitEndOfOrphan);
    }

    private boolean endsInTime() {
        try {
            return server.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static void awaitEndOfOrphan(ProcessHandle orphan) {
        long begin = System.nanoTime();
        try {
            while (orphan.isAlive() && !isZombie(orphan) && System.nanoTime() - begin < GRACE.toNanos()) {
                Thread.sleep(POLL_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Tells whether a process has ended and only waits for its new parent, the system's first process, to take notice.
     * True for processes of one thread only, such as those of PostgreSQL.
     */
    private static boolean isZombie(ProcessHandle process) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
            return stat.startsWith("Z", stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return false;
        }
    }
}
