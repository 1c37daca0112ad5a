package outbox.torture.worker;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Holds the first thread that comes to the armed point, and reports it, so that the supervisor can kill. Thread-safe. */
final class KillPoints {
    private final AtomicReference<@Nullable KillPoint> armed = new AtomicReference<>();
    private final CountDownLatch never = new CountDownLatch(1);
    private final Consumer<String> report;

    KillPoints(Consumer<String> report) {
        this.report = report;
    }

    void arm(KillPoint point) {
        armed.set(point);
    }

    void pass(KillPoint point) {
        if (armed.compareAndSet(point, null)) {
            report.accept("AT " + point);
            try {
                never.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
