package outbox.control.http;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import outbox.control.audit.AuditLog;

/**
 * Records requests in the audit log. A request that changes something is recorded before it is executed, and its
 * outcome afterwards. If it cannot be recorded, it is not executed.
 */
final class AuditTrail {
    private static final Logger LOG = System.getLogger(AuditTrail.class.getName());

    private final AuditLog log;

    AuditTrail(AuditLog log) {
        this.log = log;
    }

    /**
     * Records a requested change before it is executed.
     *
     * @param path the path of the request
     * @throws ApiException 503 if it cannot be recorded; the request must not be executed then
     */
    void begin(Exchange exchange, @Nullable String application, String path) {
        try {
            log.add(note(exchange, "request " + exchange.request().getMethod(), application, path, "started", null));
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.ERROR, "rejected " + path + ": the audit log cannot be written", e);
            throw new ApiException(
                    503,
                    "not executed, because the audit log cannot be written; see the log of the" + " control center");
        }
        exchange.begun();
    }

    /** Records that a started request ended without an outcome: it was refused or failed. */
    void end(Exchange exchange, @Nullable String application, String path, int status, String error)
            throws SQLException {
        if (exchange.isOpenEnded()) {
            add(
                    exchange,
                    "request " + exchange.request().getMethod(),
                    application,
                    path,
                    status < 500 ? "refused" : "failed",
                    status + ": " + error);
        }
    }

    /**
     * @throws SQLException if it cannot be recorded, unless the start of the request was recorded and the change is
     *     made
     */
    void add(
            Exchange exchange,
            String action,
            @Nullable String application,
            @Nullable String target,
            String outcome,
            @Nullable String detail)
            throws SQLException {
        try {
            log.add(note(exchange, action, application, target, outcome, detail));
        } catch (SQLException | RuntimeException e) {
            if (!exchange.isBegun()) {
                throw e;
            }
            LOG.log(
                    Level.ERROR,
                    "the outcome of " + action + " on " + target + " (" + outcome
                            + ") could not be recorded in the audit log; the" + " request itself was recorded",
                    e);
        }
        exchange.ended();
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
