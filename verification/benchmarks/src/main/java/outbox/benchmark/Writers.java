package outbox.benchmark;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that do the same thing at the same time. Stateless. */
public final class Writers {
    private Writers() {}

    /** What one thread does, from its first event to its last. */
    public interface Work {
        void run(int writer, CountDownLatch start) throws Exception;
    }

    /** One event of one writer. */
    public interface Step {
        void run(int number) throws Exception;
    }

    /**
     * Divides {@code events} numbers among the writers.
     *
     * @return when they began, by {@link System#nanoTime()}
     */
    public static long write(int events, Step step) throws Exception {
        return together(Scale.WRITERS, (writer, start) -> {
            start.await();
            for (int number = writer; number < events; number += Scale.WRITERS) {
                step.run(number);
            }
        });
    }

    /**
     * Runs {@code work} on some threads and waits for all of them.
     *
     * @return when they were let go, by {@link System#nanoTime()}
     */
    public static long together(int threads, Work work) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            CountDownLatch ready = new CountDownLatch(threads);
            CountDownLatch start = new CountDownLatch(1);
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int writer = i;
                all.add(pool.submit(() -> {
                    ready.countDown();
                    work.run(writer, start);
                    return null;
                }));
            }
            ready.await();
            long began = System.nanoTime();
            start.countDown();
            for (Future<?> one : all) {
                one.get();
            }
            return began;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } finally {
            pool.shutdownNow();
        }
    }
}
