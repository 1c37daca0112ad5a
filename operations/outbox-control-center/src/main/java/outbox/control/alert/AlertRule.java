package outbox.control.alert;

import java.time.Duration;
import java.util.List;

/**
 * When to tell whom.
 *
 * @param application its name, or {@code *} for all
 * @param forSeconds how long it must be so before anybody is told
 * @param reminderMinutes after how long those who were told are told again; 0 for never
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

    /** @throws IllegalArgumentException if a value makes no sense */
    public AlertRule {
        channels = List.copyOf(channels);
        if (name.isBlank() || name.length() > 64) {
            throw new IllegalArgumentException("a rule needs a name of at most 64 characters");
        }
        if (!(threshold >= 0) || Double.isInfinite(threshold)) {
            throw new IllegalArgumentException("the threshold must be a number from 0 on, not " + threshold);
        }
        if (forSeconds < 0 || forSeconds > Duration.ofDays(1).toSeconds()) {
            throw new IllegalArgumentException("forSeconds must be from 0 to a day, not " + forSeconds);
        }
        if (reminderMinutes < 0 || reminderMinutes > Duration.ofDays(30).toMinutes()) {
            throw new IllegalArgumentException("reminderMinutes must be from 0 to 30 days, not " + reminderMinutes);
        }
        if (channels.size() > MAX_CHANNELS) {
            throw new IllegalArgumentException("a rule has at most " + MAX_CHANNELS + " channels");
        }
    }

    boolean concerns(String applicationName) {
        return application.equals("*") || application.equals(applicationName);
    }
}
