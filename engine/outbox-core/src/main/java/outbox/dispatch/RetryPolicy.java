package outbox.dispatch;

/** How long to wait after a failed delivery. Thread-safe. */
@FunctionalInterface
public interface RetryPolicy {
    /** @param attempts failed deliveries including the one that just happened, so at least 1 */
    long computeDelayMs(int attempts);
}
