package outbox.control.http;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import outbox.control.audit.AuditLog;
import outbox.spi.UnitOfWork;

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
        log.add(note(exchange, action, application, target, outcome, detail));
    }

    /** Does what is put into the log, or neither. */
    void add(Exchange exchange, String action, String target, UnitOfWork.Work<?> change) throws SQLException {
        log.add(note(exchange, action, null, target, "ok", null), change);
    }

    private static AuditLog.Note note(
            Exchange exchange,
            String action,
            @Nullable String application,
            @Nullable String target,
            String outcome,
            @Nullable String detail) {
        String actor = exchange.operatorOrNull() == null
                ? "(nobody)"
                : exchange.operator().name();
        return new AuditLog.Note(
                actor, exchange.request().getRemoteAddr(), action, application, target, outcome, detail);
    }
}
