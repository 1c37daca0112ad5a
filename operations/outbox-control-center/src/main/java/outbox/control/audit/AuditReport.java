package outbox.control.audit;

import java.util.List;

/**
 * Result of verifying the audit log.
 *
 * @param entries the number of the last entry
 * @param problems empty if the log is intact
 */
public record AuditReport(long entries, List<String> problems) {
    public boolean isIntact() {
        return problems.isEmpty();
    }
}
