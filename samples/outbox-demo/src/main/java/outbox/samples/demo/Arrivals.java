package outbox.samples.demo;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import outbox.EventEnvelope;

/** Lets the demo wait for what its listeners and the engine do on other threads. */
final class Arrivals {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Map<String, Long> arrivedAt = new HashMap<>(); // guarded by this

    /** Something that becomes true sooner or later. */
    interface Condition {
        boolean holds() throws SQLException;
    }

    synchronized void note(EventEnvelope event) {
        arrivedAt.put(String.valueOf(event.aggregateId()), System.nanoTime());
        notifyAll();
    }

    /** @return when the event of that order reached its listener, by {@link System#nanoTime()} */
    long await(int orderId) throws InterruptedException, SQLException {
        String id = String.valueOf(orderId);
        until(() -> arrivedAt.containsKey(id), "the event of order " + orderId + " to arrive");
        synchronized (this) {
            return arrivedAt.getOrDefault(id, 0L);
        }
    }

    synchronized void until(Condition condition, String what) throws InterruptedException, SQLException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.holds()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("waited 30 s in vain for " + what);
            }
            wait(10);
        }
    }
}
