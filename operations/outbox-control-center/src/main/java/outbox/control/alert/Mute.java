package outbox.control.alert;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Suppresses notifications for a while.
 *
 * @param ruleId {@code null} for all rules
 */
public record Mute(
        String id, String application, @Nullable String ruleId, String reason, Instant until, String createdBy) {
    boolean covers(Alert alert) {
        return application.equals(alert.application()) && (ruleId == null || ruleId.equals(alert.ruleId()));
    }
}
