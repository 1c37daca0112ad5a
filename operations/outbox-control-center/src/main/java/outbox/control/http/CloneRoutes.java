package outbox.control.http;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.control.ControlCenter;
import outbox.control.access.Permission;
import outbox.control.act.EventClone;
import outbox.control.audit.AuditLog;

/** Writes a copy of an event, with edits, as a new event. */
final class CloneRoutes {
    /** Of a value in an audit entry; what is longer is shortened. */
    private static final int MAX_VALUE = 100;

    private final ControlCenter center;
    private final AuditTrail trail;

    CloneRoutes(ControlCenter center, AuditTrail trail) {
        this.center = center;
        this.trail = trail;
    }

    List<Route> routes() {
        return center.isReadOnly()
                ? List.of()
                : List.of(Route.of(
                        "POST",
                        "/apps/{app}/events/{id}/clone",
                        Permission.CLONE,
                        "Writes a copy as a new event; type, aggregateType, aggregateId, tenant, payload and headers"
                                + " replace those of the original; each change and a reason are audited",
                        this::copy));
    }

    private void copy(Exchange exchange) throws IOException, SQLException {
        ControlCenter.Source source = Sources.of(center, exchange);
        String reason = exchange.reason();
        String payload = exchange.optionalText("payload");
        if (payload != null && payload.contains(Json.MASK)) {
            throw new ApiException(
                    400,
                    "the payload contains " + Json.MASK
                            + ": replace it with the real value, or leave the payload unchanged");
        }
        if (payload != null && !Json.isOneValue(payload)) {
            throw new ApiException(400, "the payload is not valid JSON");
        }
        EventClone.Edits edits = new EventClone.Edits(
                exchange.optionalText("type"),
                exchange.optionalText("aggregateType"),
                exchange.optionalText("aggregateId"),
                exchange.optionalText("tenant"),
                payload,
                headers(exchange));
        EventClone.Written made;
        try {
            made = EventClone.write(
                    source.application(),
                    exchange.path("id"),
                    edits,
                    exchange.operator().may(Permission.PAYLOAD, exchange.path("app")));
        } catch (EventClone.UnseenException e) {
            throw new ApiException(403, String.valueOf(e.getMessage()));
        } catch (EventClone.NotClonableException e) {
            throw new ApiException(409, String.valueOf(e.getMessage()));
        }
        if (made == null) {
            throw new ApiException(404, "there is no event " + exchange.path("id"));
        }
        for (String detail : details(made, reason)) {
            trail.add(exchange, "event.clone", exchange.path("app"), exchange.path("id"), "ok", detail);
        }
        exchange.json(201, Map.of("id", made.id(), "clonedFrom", exchange.path("id")));
    }

    /** As many audit entries as it takes to name every changed field. */
    private List<String> details(EventClone.Written made, @Nullable String reason) {
        List<String> details = new ArrayList<>();
        StringBuilder text = new StringBuilder("as " + made.id() + (reason == null ? "" : " (" + reason + ")"));
        for (EventClone.Change change : made.changes()) {
            String changed = ", " + text(change);
            if (text.length() + changed.length() > AuditLog.MAX_DETAIL) {
                details.add(text.toString());
                text = new StringBuilder("as " + made.id() + ", continued");
            }
            text.append(changed);
        }
        details.add(text.toString());
        return details;
    }

    private String text(EventClone.Change change) {
        String field = change.field();
        boolean secret =
                field.startsWith(EventClone.HEADER) && center.isMasked(field.substring(EventClone.HEADER.length()));
        return shortened(field) + " "
                + (secret ? Json.MASK : shortened(change.from()) + " -> " + shortened(change.to()));
    }

    private static String shortened(@Nullable String value) {
        if (value == null) {
            return "(none)";
        }
        return value.length() <= MAX_VALUE
                ? value
                : value.substring(0, MAX_VALUE) + "… (" + value.length() + " characters)";
    }

    private static Map<String, @Nullable String> headers(Exchange exchange) throws IOException {
        Map<String, @Nullable String> headers = new LinkedHashMap<>();
        Object edited = exchange.body().get("headers");
        if (edited != null && !(edited instanceof Map)) {
            throw new ApiException(400, "'headers' must be an object");
        }
        if (edited instanceof Map<?, ?> given) {
            given.forEach((name, value) -> {
                if (!Json.MASK.equals(value)) {
                    headers.put(String.valueOf(name), value == null ? null : String.valueOf(value));
                }
            });
        }
        return headers;
    }
}
