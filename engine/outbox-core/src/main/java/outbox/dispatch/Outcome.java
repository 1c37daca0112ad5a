package outbox.dispatch;

import org.jspecify.annotations.Nullable;
import outbox.listener.ControlledListener;
import outbox.spi.Settlement;

/**
 * What is to be written about one delivery.
 *
 * @param control the rules of its listener, {@code null} if it has none of its own
 */
record Outcome(
        Delivery delivery, Settlement settlement, @Nullable ControlledListener control) {
    Outcome(Delivery delivery, Settlement settlement) {
        this(delivery, settlement, null);
    }

    boolean isSuccess() {
        return settlement.match(done -> true, delete -> true, retry -> false, dead -> false, release -> false);
    }

    Outcome with(Settlement other) {
        return new Outcome(delivery, other, control);
    }

    /** For log lines. */
    String kind() {
        return settlement.match(
                done -> "DONE", delete -> "DELETE", retry -> "RETRY", dead -> "DEAD", release -> "RELEASE");
    }
}
