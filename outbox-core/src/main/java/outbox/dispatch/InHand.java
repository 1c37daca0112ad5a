package outbox.dispatch;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where the events are that a dispatcher has in hand: all of them are held; some wait in a queue or a lane. */
final class InHand {
    private final HandOff queues;
    private final HeldEvents held = new HeldEvents();
    private final @Nullable Lanes lanes;
    private final int coldCapacity;

    InHand(int hotCapacity, int coldCapacity, boolean ordered) {
        this.queues = new HandOff(hotCapacity, coldCapacity);
        this.lanes = ordered ? new Lanes() : null;
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

    /** How many more cold events there is a place for. Lanes hold what the queue has none for, so all of it counts. */
    int coldRoom() {
        return lanes == null ? queues.coldRemaining() : Math.max(0, coldCapacity - held.count());
    }

    /** From how much room on it is worth while to claim more. */
    int worthwhileRoom() {
        return coldCapacity / 2;
    }

    /** Takes out everything that waits: in a queue, in a lane, at its listener's gate. */
    List<Delivery> drain() {
        List<Delivery> left = queues.drain();
        if (lanes != null) {
            left.addAll(lanes.drain());
        }
        for (Delivery delivery : held.all()) {
            if (delivery.withdraw()) {
                left.add(delivery);
            }
        }
        return left;
    }
}
