package outbox.benchmark;

import java.time.Duration;

/**
 * One figure of one round.
 *
 * @param metric what was measured, unique within the scenario
 */
public record Measurement(String metric, Unit unit, double value) {

    /** The metric of scenarios that have only one. */
    public static final String RATE = "rate";

    /** A number of events in a time. */
    public static Measurement rate(long events, Duration time) {
        return rate(RATE, Unit.EVENTS_PER_SECOND, events, time);
    }

    public static Measurement rate(String metric, Unit unit, long count, Duration time) {
        return new Measurement(metric, unit, count * 1e9 / Math.max(1, time.toNanos()));
    }

    public static Measurement millis(String metric, double nanos) {
        return new Measurement(metric, Unit.MILLISECONDS, nanos / 1e6);
    }
}
