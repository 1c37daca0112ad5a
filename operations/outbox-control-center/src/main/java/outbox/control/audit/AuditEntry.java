package outbox.control.audit;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One line of the audit log.
 *
 * @param seq 1 for the first, without gaps
 * @param outcome {@code ok}, {@code refused} (the state did not allow it) or {@code denied}
 * @param detail more, as text; never a payload
 */
public record AuditEntry(
        long seq,
        Instant at,
        String actor,
        @Nullable String address,
        String action,
        @Nullable String application,
        @Nullable String target,
        String outcome,
        @Nullable String detail,
        String mac) {}
