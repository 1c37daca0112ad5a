package outbox.control.live;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How an application was doing at one moment. Counts end at 10 001, which means more than 10 000. Rates are estimated
 * from the newest rows; {@code null} means that nothing is known.
 *
 * @param fresh new events that are due and have not failed
 * @param scheduled new events written to be delivered later
 * @param heldBack events released until later by an open breaker, a pause, or a limit
 * @param oldestSeconds for how long the oldest undelivered event has been due
 * @param inPerMinute events written
 * @param outPerMinute events delivered
 * @param failedPerMinute deliveries that failed
 * @param lagP50Millis from creation to delivery, of the last minute
 */
public record Sample(
        Instant at,
        int fresh,
        int scheduled,
        int heldBack,
        int retry,
        int dead,
        int done,
        double oldestSeconds,
        double inPerMinute,
        double outPerMinute,
        @Nullable Double failedPerMinute,
        @Nullable Double lagP50Millis,
        @Nullable Double lagP95Millis) {}
