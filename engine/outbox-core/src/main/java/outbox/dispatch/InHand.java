package outbox.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Where the events are that a dispatcher has in hand: all of them are held; some wait in a queue or a lane. */
final class InHand {
    private final HandOff queues;
    private final BytesInFlight bytes;
    private final HeldEvents held;
    private final @Nullable Lanes lanes;
    private final Suspects suspects = new Suspects();
    private final int coldCapacity;
    private final AtomicInteger finished = new AtomicInteger();
    private volatile boolean drained;

    /**
     * @param byteLimit for the payloads and headers of all
     * @param lanes {@code null} where no order is kept
     */
    InHand(int hotCapacity, int coldCapacity, long byteLimit, @Nullable Lanes lanes) {
        this.bytes = new BytesInFlight(byteLimit);
        this.held = new HeldEvents(bytes);
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

    BytesInFlight bytes() {
        return bytes;
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
        if (bytes.coldRoom() == 0) {
            return 0;
        }
        return lanes == null
                ? Math.max(0, Math.min(queues.coldRemaining(), coldCapacity - suspects.waiting()))
                : Math.max(0, Math.min(coldCapacity, coldCapacity - held.count() + finished.get()));
    }

    /** Whether the poller should claim more now, if it found too little room before. */
    boolean isRoomWorthwhile() {
        int room = coldRoom();
        return isWorthwhile(room) || (lanes != null && room > 0 && queues.isEmpty());
    }

    /** Whether it is worth while to claim more with that much room. */
    boolean isWorthwhile(int room) {
        return room >= Math.max(1, coldCapacity / 2) && bytes.isColdRoomWorthwhile();
    }

    /** @return {@code false} if there is no room, or all is being taken out: the caller still has the delivery */
    boolean offer(Delivery delivery) {
        return queues.offer(delivery) && isInTime(delivery);
    }

    /**
     * A delivery that came from the table, or whose predecessor is done, goes to the workers; a suspect one when it has its
     * turn.
     *
     * @return {@code false} if all was taken out meanwhile: the caller still has the delivery
     */
    boolean ready(Delivery delivery) {
        if (!delivery.isSuspect() || suspects.enter(delivery)) {
            return resume(delivery);
        }
        return !drained || !suspects.withdraw(delivery);
    }

    /** The outcome of a delivery is written, or it has none. @return suspect ones that have their turn now */
    List<Delivery> left(Delivery delivery) {
        return delivery.isSuspect() ? suspects.leave(delivery) : List.of();
    }

    /**
     * A delivery that had to wait can go on.
     *
     * @return {@code false} if all was taken out meanwhile: the caller still has the delivery
     */
    boolean resume(Delivery delivery) {
        queues.resume(delivery);
        return isInTime(delivery);
    }

    /** Whether a delivery that was queued just now is taken by a worker or by {@link #drain()}. */
    private boolean isInTime(Delivery queued) {
        return !drained || !queues.withdraw(queued);
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
        left.addAll(suspects.drain());
        return left;
    }
}
