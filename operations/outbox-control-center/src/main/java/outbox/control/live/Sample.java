package outbox.control.live;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.control.source.Hold;

/**
 * Metrics of an application at one moment. Counts end at 10 001, which means more than 10 000; {@code null} means
 * unknown.
 *
 * @param fresh new events that are due and have not failed
 * @param scheduled new events written to be delivered later; they are not waiting
 * @param heldBack events released until later by an open breaker, a pause, or a limit
 * @param holds what holds events back, the most events first
 * @param oldestSeconds seconds since the oldest undelivered event became due
 * @param inPerMinute events written, estimated from the newest rows
 * @param outPerMinute events delivered, by the counters of the nodes; estimated from rows if there are none
 * @param failedPerMinute failed deliveries, as {@code outPerMinute}
 * @param lagP50Millis median time from creation to delivery in the last minute
 * @param inFlight events queued or running on the nodes
 */
public record Sample(
        Instant at,
        int fresh,
        int scheduled,
        int heldBack,
        List<Hold> holds,
        int retry,
        int dead,
        int done,
        double oldestSeconds,
        double inPerMinute,
        double outPerMinute,
        @Nullable Double failedPerMinute,
        @Nullable Double lagP50Millis,
        @Nullable Double lagP95Millis,
        int nodes,
        int nodesAlive,
        int inFlight) {

    /** Share of deliveries that did not fail, in percent; {@code null} if nothing was delivered, or it is unknown. */
    public @Nullable Double successPercent() {
        Double failed = failedPerMinute;
        double all = failed == null ? 0 : failed + outPerMinute;
        return failed == null || all == 0 ? null : 100 * outPerMinute / all;
    }
}
