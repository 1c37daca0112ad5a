package outbox;

import java.util.concurrent.atomic.AtomicBoolean;
import outbox.model.Lease;

/**
 * The knowledge that an event was never delivered: this process inserted its row with a lease, and that lease is so young
 * that no other node can have taken the row. It is good for one delivery. Thread-safe.
 *
 * <p>A delivery that waited longer may have been overtaken: the lease ran out, another node delivered the event and released
 * it, and this node claimed it again while the first delivery still waited here.
 */
final class FirstDelivery {
    private final LeasedWriterHook hook;
    private final Lease lease;
    private final AtomicBoolean taken = new AtomicBoolean();

    FirstDelivery(LeasedWriterHook hook, Lease lease) {
        this.hook = hook;
        this.lease = lease;
    }

    boolean take() {
        return hook.isInTime(lease) && taken.compareAndSet(false, true);
    }
}
