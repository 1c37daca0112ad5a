package outbox.control.audit;

import java.util.List;

/**
 * What a check of the audit log found.
 *
 * @param entries the number of the last entry
 * @param problems empty if the log is as it was written
 */
public record AuditReport(long entries, List<String> problems) {
    public boolean isIntact() {
        return problems.isEmpty();
    }
}
