package outbox.purge;

import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import outbox.util.DaemonThreadFactory;

/** Does one thing again and again, on a thread of its own, from its start until it is closed. Thread-safe. */
final class Recurring implements AutoCloseable {
    private static final long END_SECONDS = 5;

    private final String name;
    private final Runnable work;
    private volatile boolean closed;
    private @Nullable ScheduledExecutorService executor; // guarded by this

    /** @param name of its thread: {@code outbox-<name>-1} */
    Recurring(String name, Runnable work) {
        this.name = name;
        this.work = Objects.requireNonNull(work, "work");
    }

    /** A second call does nothing. */
    synchronized void start(long firstAfterSeconds, long everySeconds) {
        if (closed) {
            throw new IllegalStateException("outbox " + name + " was closed; build a new one");
        }
        if (executor == null) {
            executor = Executors.newSingleThreadScheduledExecutor(new DaemonThreadFactory("outbox-" + name + "-"));
            var unused = executor.scheduleWithFixedDelay(work, firstAfterSeconds, everySeconds, TimeUnit.SECONDS);
        }
    }

    boolean isClosed() {
        return closed;
    }

    /** Lets what is under way end, and interrupts it if that takes long. */
    @Override
    public void close() {
        ScheduledExecutorService running;
        synchronized (this) {
            closed = true;
            running = executor;
        }
        if (running != null) {
            running.shutdown();
            try {
                if (!running.awaitTermination(END_SECONDS, TimeUnit.SECONDS)) {
                    running.shutdownNow();
                }
            } catch (InterruptedException e) {
                running.shutdownNow();
                Thread.currentThread().interrupt();
            }
        }
    }
}
