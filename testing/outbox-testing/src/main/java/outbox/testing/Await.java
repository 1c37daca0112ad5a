package outbox.testing;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Waits for something to become true. */
final class Await {
    static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

    private static final long PAUSE_NANOS = 5_000_000;

    private Await() {}

    /** What is waited for. */
    @FunctionalInterface
    interface Condition {
        boolean holds() throws Exception;
    }

    /** What it looks like now, for the message of a wait that failed. */
    @FunctionalInterface
    interface Description {
        String text() throws Exception;
    }

    /** @throws AssertionError if it does not become true in time */
    static void until(Duration timeout, Description failure, Condition condition) {
        long deadline = System.nanoTime() + timeout.toNanos();
        try {
            while (!condition.holds()) {
                if (System.nanoTime() - deadline > 0) {
                    throw new AssertionError("not within " + timeout + ": " + failure.text());
                }
                if (Thread.interrupted()) {
                    throw new AssertionError("interrupted while waiting: " + failure.text());
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError("the state could not be read while waiting", e);
        }
    }
}
