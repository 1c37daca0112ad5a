package outbox.control.alert;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An alert, firing or over.
 *
 * @param subject the node or handler it is about; empty for the application itself
 * @param reading the last value while it fired
 * @param overAt {@code null} while it fires
 */
public record Alert(
        String id,
        String ruleId,
        String application,
        String subject,
        double reading,
        Instant since,
        @Nullable Instant overAt) {}
