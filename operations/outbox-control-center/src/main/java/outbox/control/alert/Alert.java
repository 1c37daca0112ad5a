package outbox.control.alert;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Something that is or was wrong.
 *
 * @param subject the node or handler it is about; empty for the application itself
 * @param reading the last value seen while it was wrong
 * @param overAt {@code null} as long as it is
 */
public record Alert(
        String id,
        String ruleId,
        String application,
        String subject,
        double reading,
        Instant since,
        @Nullable Instant overAt) {}
