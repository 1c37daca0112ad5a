package outbox;

import java.util.concurrent.CountDownLatch;

/** What a listener does that does not heed interrupts. */
public final class Uninterruptibly {
    private Uninterruptibly() {}

    public static void await(CountDownLatch latch) {
        while (true) {
            try {
                latch.await();
                return;
            } catch (InterruptedException e) {
                // again
            }
        }
    }
}
