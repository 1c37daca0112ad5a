package outbox.control.http;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import outbox.control.audit.AuditLog;
import outbox.spi.UnitOfWork;

/**
 * Puts what happens in a request into the audit log. A request that changes something is recorded before anything is done,
 * and what came of it afterwards: what cannot be recorded is not done.
 */
final class Trail {
    private static final Logger LOG = System.getLogger(Trail.class.getName());

    private final AuditLog log;

    Trail(AuditLog log) {
        this.log = log;
    }

    /**
     * Records that a change is asked for, before it is made.
     *
     * @param path what is asked for, as it is in the URL
     * @throws ApiException 503 if it cannot be recorded; then nothing is to be done
     */
    void begin(Exchange exchange, @Nullable String application, String path) {
        try {
            log.add(note(exchange, "request " + exchange.request().getMethod(), application, path, "started", null));
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.ERROR, "nothing was done for " + path + ": the audit log cannot be written", e);
            throw new ApiException(
                    503,
                    "nothing was done, because it cannot be recorded: the audit log cannot be written; the log of the"
                            + " control center says why");
        }
        exchange.begun();
    }

    /** A request that was begun ended without saying what came of it: it was refused, or it failed. */
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

    /** @throws SQLException if it cannot be recorded, unless the request was begun: what was done is done then */
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
                    "the outcome of " + action + " on " + target + " (" + outcome + ") is not in the audit log; that it"
                            + " was asked for is",
                    e);
        }
        exchange.ended();
    }

    /** Does what is put into the log, or neither. */
    void add(Exchange exchange, String action, String target, UnitOfWork.Work<?> change) throws SQLException {
        log.add(note(exchange, action, null, target, "ok", null), change);
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
