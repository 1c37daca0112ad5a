package outbox.control.http;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import outbox.control.audit.AuditLog;

/** Puts what happens in a request into the audit log. */
final class Trail {
    private final AuditLog log;

    Trail(AuditLog log) {
        this.log = log;
    }

    void add(
            Exchange exchange,
            String action,
            @Nullable String application,
            @Nullable String target,
            String outcome,
            @Nullable String detail)
            throws SQLException {
        String actor = exchange.operatorOrNull() == null
                ? "(nobody)"
                : exchange.operator().name();
        log.add(new AuditLog.Note(
                actor, exchange.request().getRemoteAddr(), action, application, target, outcome, detail));
    }
}
