package outbox.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Where the events are that a dispatcher has in hand: all of them are held; some wait in a queue or a lane. */
final class InHand {
    private final HandOff queues;
    private final HeldEvents held = new HeldEvents();
    private final @Nullable Lanes lanes;
    private final int coldCapacity;
    private final AtomicInteger finished = new AtomicInteger();
    private volatile boolean drained;

    /** @param lanes {@code null} where no order is kept */
    InHand(int hotCapacity, int coldCapacity, @Nullable Lanes lanes) {
        this.queues = new HandOff(hotCapacity, coldCapacity);
        this.lanes = lanes;
        this.coldCapacity = coldCapacity;
    }

    HandOff queues() {
        return queues;
    }

    HeldEvents held() {
        return held;
    }

    /** {@code null} where no order is kept. */
    @Nullable
    Lanes lanes() {
        return lanes;
    }

    /** A delivery has an outcome, which waits to be written. */
    void finished() {
        finished.incrementAndGet();
    }

    /** An outcome needs no more care. */
    void written() {
        finished.decrementAndGet();
    }

    /**
     * How many more cold events there is a place for. Lanes hold what the queue has none for, so everything in hand
     * counts, except what only waits to be written: that has a bound of its own, and the next claim should not wait for
     * it.
     */
    int coldRoom() {
        return lanes == null
                ? queues.coldRemaining()
                : Math.max(0, Math.min(coldCapacity, coldCapacity - held.count() + finished.get()));
    }

    /** Whether the poller should claim more now, if it found too little room before. */
    boolean isRoomWorthwhile() {
        int room = coldRoom();
        return room >= worthwhileRoom() || (lanes != null && room > 0 && queues.isEmpty());
    }

    /** From how much room on it is worth while to claim more. */
    int worthwhileRoom() {
        return Math.max(1, coldCapacity / 2);
    }

    /** A delivery that had to wait can go on, unless all was taken out meanwhile: then its place is for others. */
    void resume(Delivery delivery) {
        queues.resume(delivery);
        if (drained) {
            queues.drain().forEach(Delivery::leaveGate);
        }
    }

    /**
     * Takes out everything that waits: at its listener's gate, in a queue, in a lane. Those at a gate first: while they
     * wait there, they are brought to the queues as places become free.
     */
    List<Delivery> drain() {
        List<Delivery> left = new ArrayList<>();
        for (Delivery delivery : held.all()) {
            if (delivery.withdraw()) {
                left.add(delivery);
            }
        }
        drained = true;
        left.addAll(queues.drain());
        if (lanes != null) {
            left.addAll(lanes.drain());
        }
        return left;
    }
}
