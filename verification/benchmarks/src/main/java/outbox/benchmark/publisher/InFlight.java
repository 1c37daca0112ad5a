package outbox.benchmark.publisher;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Sends a number of things with at most so many unanswered at a time, and waits for the last answer. */
final class InFlight {
    private static final long PATIENCE_SECONDS = 120;

    /** Starts one send and tells when it is answered, with the failure if there is one. */
    @FunctionalInterface
    interface Send {
        void start(int number, Answer answer) throws Exception;
    }

    /** Called once for each send, on any thread. */
    @FunctionalInterface
    interface Answer {
        void came(@Nullable Throwable failure);
    }

    private InFlight() {}

    /** @return from the first send to the last answer */
    static Duration run(int count, int atOnce, Send send) throws Exception {
        Semaphore places = new Semaphore(atOnce);
        AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
        Answer answer = failure -> {
            if (failure != null) {
                failed.compareAndSet(null, failure);
            }
            places.release();
        };
        long start = System.nanoTime();
        for (int number = 0; number < count && failed.get() == null; number++) {
            take(places, 1);
            send.start(number, answer);
        }
        take(places, atOnce);
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        Throwable failure = failed.get();
        if (failure != null) {
            throw new IllegalStateException("a send failed: " + failure, failure);
        }
        return took;
    }

    private static void take(Semaphore places, int permits) throws InterruptedException {
        if (!places.tryAcquire(permits, PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("no answer within " + PATIENCE_SECONDS + " s");
        }
    }
}
