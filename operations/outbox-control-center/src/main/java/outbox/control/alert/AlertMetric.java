package outbox.control.alert;

import java.util.Arrays;
import java.util.Locale;

/** What a rule looks at. An alert is raised at the threshold or above it. */
public enum AlertMetric {
    /** For how many seconds the oldest undelivered event has been due. */
    OLDEST_AGE,
    /** How many events are dead. */
    DEAD_COUNT,
    /** How many of a hundred deliveries of the last minute failed. */
    FAILURE_RATE,
    /** For how many seconds a node that did not say goodbye has been silent; one alert per node. */
    MISSING_HEARTBEAT,
    /** A circuit breaker is open; one alert per handler and node. */
    OPEN_BREAKER,
    /** The application's database does not answer the control center. */
    UNREACHABLE;

    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException for an unknown name */
    public static AlertMetric parse(String key) {
        return Arrays.stream(values())
                .filter(metric -> metric.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no metric '" + key + "'; known are "
                        + Arrays.stream(values()).map(AlertMetric::key).toList()));
    }

    /** The reading in words. */
    String describe(double value) {
        return switch (this) {
            case OLDEST_AGE -> "the oldest event has waited " + duration(value);
            case DEAD_COUNT -> (value > 10_000 ? "more than 10000" : String.valueOf((long) value)) + " dead event(s)";
            case FAILURE_RATE -> Math.round(value) + " % of deliveries fail";
            case MISSING_HEARTBEAT -> "no heartbeat for " + duration(value);
            case OPEN_BREAKER -> "circuit breaker open";
            case UNREACHABLE -> "the database does not answer";
        };
    }

    private static String duration(double seconds) {
        long whole = Math.round(seconds);
        if (whole < 120) {
            return whole + " s";
        }
        return whole < 7200 ? whole / 60 + " min" : whole / 3600 + " h " + whole % 3600 / 60 + " min";
    }
}
