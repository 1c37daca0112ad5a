package outbox.control.alert;

import java.util.Arrays;
import java.util.Locale;

/** The metric of a rule. An alert fires at or above the threshold. */
public enum AlertMetric {
    /** Seconds since the oldest undelivered event became due. */
    OLDEST_AGE,
    /** Number of dead events. */
    DEAD_COUNT,
    /** Failed deliveries of the last minute, in percent. */
    FAILURE_RATE,
    /** Seconds since the last heartbeat of a node that was not shut down; one alert per node. */
    MISSING_HEARTBEAT,
    /** A circuit breaker is open; one alert per handler and node. */
    OPEN_BREAKER,
    /** The control center cannot reach the application's database. */
    UNREACHABLE;

    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The page that says what to do: a path below the address of the control center. */
    public String runbook() {
        String page = switch (this) {
            case OLDEST_AGE -> "backlog-old";
            case DEAD_COUNT -> "dead-letters";
            case FAILURE_RATE -> "deliveries-failing";
            case MISSING_HEARTBEAT -> "node-silent";
            case OPEN_BREAKER -> "breaker-open";
            case UNREACHABLE -> "database-unreachable";
        };
        return "runbooks/" + page + ".md";
    }

    /** @throws IllegalArgumentException for an unknown name */
    public static AlertMetric parse(String key) {
        return Arrays.stream(values())
                .filter(metric -> metric.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown metric '" + key + "'; known are "
                        + Arrays.stream(values()).map(AlertMetric::key).toList()));
    }

    /** Describes a value in words. */
    String describe(double value) {
        return switch (this) {
            case OLDEST_AGE -> "the oldest event has been due for " + duration(value);
            case DEAD_COUNT -> (value > 10_000 ? "more than 10000" : String.valueOf((long) value)) + " dead event(s)";
            case FAILURE_RATE -> Math.round(value) + " % of deliveries fail";
            case MISSING_HEARTBEAT -> "no heartbeat for " + duration(value);
            case OPEN_BREAKER -> "circuit breaker open";
            case UNREACHABLE -> "the database is unreachable";
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
