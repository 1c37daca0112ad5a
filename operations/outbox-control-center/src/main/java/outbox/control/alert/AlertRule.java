package outbox.control.alert;

import java.time.Duration;
import java.util.List;

/**
 * An alert rule.
 *
 * @param application its name, or {@code *} for all
 * @param forSeconds how long the condition must hold before the alert fires
 * @param reminderMinutes interval of repeated notifications; 0 for none
 * @param channels ids
 */
public record AlertRule(
        String id,
        String name,
        String application,
        AlertMetric metric,
        double threshold,
        int forSeconds,
        int reminderMinutes,
        List<String> channels,
        boolean enabled) {
    private static final int MAX_CHANNELS = 20;

    /** @throws IllegalArgumentException if a value is invalid */
    public AlertRule {
        channels = List.copyOf(channels);
        if (name.isBlank() || name.length() > 64) {
            throw new IllegalArgumentException("a rule needs a name of at most 64 characters");
        }
        if (!(threshold >= 0) || Double.isInfinite(threshold)) {
            throw new IllegalArgumentException("the threshold must be 0 or greater, not " + threshold);
        }
        if (forSeconds < 0 || forSeconds > Duration.ofDays(1).toSeconds()) {
            throw new IllegalArgumentException("forSeconds must be between 0 and 86400, not " + forSeconds);
        }
        if (reminderMinutes < 0 || reminderMinutes > Duration.ofDays(30).toMinutes()) {
            throw new IllegalArgumentException("reminderMinutes must be between 0 and 43200, not " + reminderMinutes);
        }
        if (channels.size() > MAX_CHANNELS) {
            throw new IllegalArgumentException("a rule can have at most " + MAX_CHANNELS + " channels");
        }
    }

    boolean concerns(String applicationName) {
        return application.equals("*") || application.equals(applicationName);
    }
}
