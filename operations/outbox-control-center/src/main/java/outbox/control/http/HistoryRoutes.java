package outbox.control.http;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.control.ControlCenter;
import outbox.control.access.Permission;
import outbox.control.live.History;
import outbox.control.live.Sample;

/** Metrics of past minutes, hours and days. */
final class HistoryRoutes {
    private static final String DEFAULT_RANGE = "1h";
    static final Map<String, Duration> RANGES = ranges();

    private final ControlCenter center;

    HistoryRoutes(ControlCenter center) {
        this.center = center;
    }

    private static Map<String, Duration> ranges() {
        Map<String, Duration> ranges = new LinkedHashMap<>();
        ranges.put("15m", Duration.ofMinutes(15));
        ranges.put(DEFAULT_RANGE, Duration.ofHours(1));
        ranges.put("6h", Duration.ofHours(6));
        ranges.put("24h", Duration.ofHours(24));
        ranges.put("7d", Duration.ofDays(7));
        ranges.put("30d", Duration.ofDays(30));
        return ranges;
    }

    List<Route> routes() {
        return List.of(
                Route.of(
                        "GET",
                        "/apps/{app}/history",
                        Permission.VIEW,
                        "Metrics of the last 15m, 1h, 6h, 24h, 7d or 30d",
                        this::history,
                        "range"),
                Route.of(
                        "GET",
                        "/apps/{app}/types",
                        Permission.VIEW,
                        "Time from creation to delivery of each event type in the last minute",
                        exchange -> exchange.json(
                                200,
                                Map.of(
                                        "types",
                                        Sources.of(center, exchange).sampler().types()))),
                Route.of(
                        "GET",
                        "/apps/{app}/relay",
                        Permission.VIEW,
                        "CDC relays: offset, lag, retained log and dead letters",
                        exchange -> exchange.json(
                                200, Sources.of(center, exchange).cdc().read())));
    }

    private void history(Exchange exchange) throws IOException, SQLException {
        ControlCenter.Source source = Sources.of(center, exchange);
        String wanted = exchange.query("range");
        Duration length = RANGES.get(wanted == null ? DEFAULT_RANGE : wanted);
        if (length == null) {
            throw new ApiException(
                    400, "range must be one of " + String.join(", ", RANGES.keySet()) + ", not '" + wanted + "'");
        }
        Sample last = source.sampler().last();
        Instant end = last == null ? Instant.now() : last.at();
        History.Range range = center.history().range(source.application().name(), length, end);
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        body.put("from", end.minus(length));
        body.put("to", end);
        body.put("intervalSeconds", range.interval().toSeconds());
        body.put("points", range.points());
        exchange.json(200, body);
    }
}
