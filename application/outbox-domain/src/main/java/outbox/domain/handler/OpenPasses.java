package outbox.domain.handler;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Passes in which a handler has succeeded and another one still runs. If that takes long, the success is stored: should
 * the process end, it is not called again. Thread-safe.
 */
final class OpenPasses {
    /** How long a success may wait for the other handlers of its event before it is stored. */
    static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private static final long LOOK_EVERY_NANOS = LONGEST_WAIT.toNanos() / 4;

    private final LongSupplier ticks;
    private final Map<PassResults, Long> since = new ConcurrentHashMap<>();

    OpenPasses(LongSupplier ticks) {
        this.ticks = ticks;
    }

    void add(PassResults pass) {
        since.put(pass, ticks.getAsLong());
    }

    void remove(PassResults pass) {
        since.remove(pass);
    }

    /** One turn of the thread that looks after them. */
    boolean watch() throws InterruptedException {
        LockSupport.parkNanos(this, LOOK_EVERY_NANOS);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        look();
        return true;
    }

    void look() {
        long now = ticks.getAsLong();
        since.forEach((pass, from) -> {
            if (now - from >= LONGEST_WAIT.toNanos()) {
                pass.storeAtOnce();
            }
        });
    }
}
