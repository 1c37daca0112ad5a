package outbox.torture;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import outbox.testing.server.EmbeddedServer;

/**
 * A server all of whose processes were sent SIGSTOP, as when its machine hangs: connections stay open, the system still
 * accepts new ones for it, and nobody answers. Not thread-safe.
 */
public final class FrozenServer {
    private static final Set<FrozenServer> FROZEN = ConcurrentHashMap.newKeySet();

    static {
        // Otherwise its processes would outlive this one: who is stopped does not notice that it should end.
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> List.copyOf(FROZEN).forEach(FrozenServer::thaw), "thaw-servers"));
    }

    private final Set<Long> processes = new LinkedHashSet<>();

    private FrozenServer() {}

    /** Freezes the main process first, which would start others. */
    public static FrozenServer freeze(EmbeddedServer server) {
        FrozenServer frozen = new FrozenServer();
        FROZEN.add(frozen);
        ProcessHandle main = ProcessHandle.of(server.pid())
                .orElseThrow(() -> new IllegalStateException(server + " has no process " + server.pid()));
        for (Set<Long> found = Set.of(main.pid()); frozen.processes.addAll(found); found = descendants(main)) {
            signal("STOP", found);
        }
        return frozen;
    }

    private static Set<Long> descendants(ProcessHandle main) {
        Set<Long> pids = new LinkedHashSet<>();
        try (Stream<ProcessHandle> children = main.descendants()) {
            children.forEach(child -> pids.add(child.pid()));
        }
        return pids;
    }

    /** Lets all of them go on. Does nothing the second time. */
    public void thaw() {
        if (FROZEN.remove(this)) {
            signal("CONT", processes);
        }
    }

    /** To be called when the processes were killed: their ids may soon be those of others. */
    public void forget() {
        FROZEN.remove(this);
    }

    private static void signal(String signal, Set<Long> pids) {
        List<String> words = new ArrayList<>(List.of("kill", "-s", signal));
        pids.forEach(pid -> words.add(Long.toString(pid)));
        try {
            new ProcessBuilder(words).start().waitFor();
        } catch (IOException e) {
            throw new IllegalStateException("cannot send " + signal + " to " + pids, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
