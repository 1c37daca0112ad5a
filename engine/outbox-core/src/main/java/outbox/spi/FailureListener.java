package outbox.spi;

/**
 * Told of every delivery that failed, as soon as it is decided what becomes of the event and before that is written.
 * Called on the worker's thread: implementations must be thread-safe and fast, so they keep the failure and write it
 * elsewhere. What they throw is logged only.
 */
@FunctionalInterface
public interface FailureListener {
    FailureListener NONE = failure -> {};

    void failed(FailedDelivery failure);
}
