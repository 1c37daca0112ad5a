package outbox.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Lets several nodes work on one table at the same time. */
final class ConcurrentClaims {
    private static final long TIMEOUT_SECONDS = 120;

    private ConcurrentClaims() {}

    /** What a node does until there is nothing left; the ids it got. */
    @FunctionalInterface
    interface Node {
        List<String> work(String name) throws Exception;
    }

    /** @return what each node got; the first failure of any of them is thrown */
    static List<List<String>> run(int nodes, Node node) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(nodes);
        try {
            List<Callable<List<String>>> tasks = new ArrayList<>();
            for (int i = 0; i < nodes; i++) {
                String name = "node-" + i;
                tasks.add(() -> node.work(name));
            }
            List<List<String>> results = new ArrayList<>();
            for (Future<List<String>> result : threads.invokeAll(tasks, TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                if (result.isCancelled()) {
                    throw new AssertionError("not done within " + Duration.ofSeconds(TIMEOUT_SECONDS));
                }
                results.add(result.get());
            }
            return results;
        } catch (ExecutionException e) {
            throw new AssertionError("a node failed: " + e.getCause(), e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }
}
