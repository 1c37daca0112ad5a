package outbox.control.http;

import java.io.IOException;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.control.ControlCenter;
import outbox.control.access.Permission;
import outbox.control.act.EventClone;

/** Writes an event once more, with edits, as a new one. */
final class CloneRoutes {
    private final ControlCenter center;
    private final Trail trail;

    CloneRoutes(ControlCenter center, Trail trail) {
        this.center = center;
        this.trail = trail;
    }

    List<Route> routes() {
        return center.isReadOnly()
                ? List.of()
                : List.of(Route.of(
                        "POST",
                        "/apps/{app}/events/{id}/clone",
                        Permission.ACT,
                        "Writes a new event like this one; type, aggregateType, aggregateId, tenant, payload and headers"
                                + " replace those of the original, a reason is kept",
                        this::copy));
    }

    private void copy(Exchange exchange) throws IOException, SQLException {
        ControlCenter.Source source = Sources.of(center, exchange);
        String payload = exchange.optionalText("payload");
        if (payload != null && payload.contains(Json.MASK)) {
            throw new ApiException(
                    400,
                    "the payload holds " + Json.MASK
                            + ": write the true value in its place, or leave the payload as it is");
        }
        if (payload != null && !Json.isOneValue(payload)) {
            throw new ApiException(400, "the payload is not JSON");
        }
        EventClone.Edits edits = new EventClone.Edits(
                exchange.optionalText("type"),
                exchange.optionalText("aggregateType"),
                exchange.optionalText("aggregateId"),
                exchange.optionalText("tenant"),
                payload,
                headers(exchange));
        String made;
        try {
            made = EventClone.write(source.application(), exchange.path("id"), edits);
        } catch (EventClone.SealedException e) {
            throw new ApiException(409, String.valueOf(e.getMessage()));
        }
        if (made == null) {
            throw new ApiException(404, "there is no event " + exchange.path("id"));
        }
        String reason = exchange.optionalText("reason");
        trail.add(
                exchange,
                "event.clone",
                exchange.path("app"),
                exchange.path("id"),
                "ok",
                "as " + made + (payload == null ? "" : ", payload edited") + (reason == null ? "" : ": " + reason));
        exchange.json(201, Map.of("id", made, "clonedFrom", exchange.path("id")));
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
