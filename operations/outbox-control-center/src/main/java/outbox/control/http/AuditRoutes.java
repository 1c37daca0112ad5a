package outbox.control.http;

import java.io.IOException;
import java.io.OutputStream;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.control.ControlCenter;
import outbox.control.access.Accounts;
import outbox.control.access.Permission;
import outbox.control.audit.AuditEntry;
import outbox.control.audit.AuditReport;

/** The audit log. */
final class AuditRoutes {
    private static final int MAX_PAGE = 200;

    private final ControlCenter center;
    private final AuditTrail trail;
    private final @Nullable Accounts accounts;

    /** @param accounts {@code null} if the host application has the users */
    AuditRoutes(ControlCenter center, AuditTrail trail, @Nullable Accounts accounts) {
        this.center = center;
        this.trail = trail;
        this.accounts = accounts;
    }

    List<Route> routes() {
        return List.of(
                Route.of(
                        "GET",
                        "/audit",
                        Permission.ADMIN,
                        "A page of the audit log, newest first",
                        this::audit,
                        "before",
                        "application",
                        "size"),
                Route.of(
                        "GET",
                        "/audit/verify",
                        Permission.ADMIN,
                        "Verifies the audit log, and users and tokens against it",
                        this::verify),
                Route.of(
                        "GET",
                        "/audit/export",
                        Permission.ADMIN,
                        "Exports the whole log as JSON lines, with MACs, to verify it elsewhere",
                        this::export));
    }

    private void audit(Exchange exchange) throws IOException, SQLException {
        String before = exchange.query("before");
        int size = Math.max(1, Math.min(MAX_PAGE, exchange.query("size", 50)));
        List<AuditEntry> entries = center.audit()
                .page(
                        before == null ? null : Long.valueOf(exchange.query("before", 0)),
                        exchange.query("application"),
                        size);
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        body.put("entries", entries);
        body.put("next", entries.size() < size ? null : entries.get(size - 1).seq());
        exchange.json(200, body);
    }

    /** The export itself is audited; its entry is the last one in the export. */
    private void export(Exchange exchange) throws IOException, SQLException {
        trail.add(exchange, "audit.export", null, null, "ok", null);
        exchange.response().setStatus(200);
        exchange.response().setContentType("application/x-ndjson");
        exchange.response().setHeader("Content-Disposition", "attachment; filename=\"outbox-audit.ndjson\"");
        OutputStream out = exchange.response().getOutputStream();
        center.audit().export(entry -> {
            out.write(Json.exactBytes(entry));
            out.write('\n');
        });
    }

    private void verify(Exchange exchange) throws IOException, SQLException {
        AuditReport report = center.audit().verify();
        List<String> problems = new ArrayList<>(report.problems());
        if (accounts != null) {
            problems.addAll(accounts.verify());
        }
        exchange.json(200, Map.of("entries", report.entries(), "intact", problems.isEmpty(), "problems", problems));
    }
}
