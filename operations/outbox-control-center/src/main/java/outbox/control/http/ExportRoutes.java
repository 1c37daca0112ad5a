package outbox.control.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.control.ControlCenter;
import outbox.control.access.Permission;
import outbox.control.source.EventFilter;
import outbox.control.source.EventPage;
import outbox.control.source.EventReader;
import outbox.control.source.EventSummary;
import outbox.control.source.FilterText;
import outbox.control.source.SuggestionReader;

/** Filtered events as a file, without payloads, and values to complete a filter with. */
final class ExportRoutes {
    static final int MAX_EVENTS = 10_000;
    /** Set if there are more events than the file contains. */
    static final String TRUNCATED = "X-Outbox-Truncated";

    private static final long SEARCH_NANOS = 20_000_000_000L;
    private static final List<String> COLUMNS = List.of(
            "id",
            "type",
            "aggregateType",
            "aggregateId",
            "tenant",
            "state",
            "parked",
            "attempts",
            "availableAt",
            "createdAt",
            "doneAt",
            "lockedBy",
            "error");

    private final ControlCenter center;
    private final AuditTrail trail;

    ExportRoutes(ControlCenter center, AuditTrail trail) {
        this.center = center;
        this.trail = trail;
    }

    List<Route> routes() {
        return List.of(
                Route.of(
                        "GET",
                        "/apps/{app}/export",
                        Permission.VIEW,
                        "At most " + MAX_EVENTS + " filtered events as a file, without payloads: format=ndjson or csv",
                        this::export,
                        Stream.concat(Stream.of("format", "order", "limit"), FilterText.NAMES.stream())
                                .toArray(String[]::new)),
                Route.of(
                        "GET",
                        "/apps/{app}/suggestions",
                        Permission.VIEW,
                        "Types, aggregate types and tenants of recent events, to complete a filter with",
                        exchange -> exchange.json(
                                200,
                                new SuggestionReader(
                                                Sources.of(center, exchange).application())
                                        .read())));
    }

    private void export(Exchange exchange) throws IOException, SQLException {
        String wanted = exchange.query("format");
        String format = wanted == null ? "ndjson" : wanted;
        if (!format.equals("ndjson") && !format.equals("csv")) {
            throw new ApiException(400, "format must be ndjson or csv, not '" + format + "'");
        }
        EventFilter filter = EventRoutes.filter(exchange);
        int limit = Math.max(1, Math.min(MAX_EVENTS, exchange.query("limit", MAX_EVENTS)));
        List<EventSummary> events = new ArrayList<>();
        boolean more = collect(
                Sources.of(center, exchange).reader(),
                filter,
                !"oldest".equals(exchange.query("order")),
                limit,
                events);
        byte[] file = format.equals("csv") ? csv(events) : ndjson(events);
        trail.add( // before the first byte leaves
                exchange,
                "events.export",
                exchange.path("app"),
                format,
                "ok",
                events.size() + (more ? " events, not all" : " events") + ": " + FilterText.write(filter));
        exchange.response().setStatus(200);
        exchange.response().setContentType(format.equals("csv") ? "text/csv" : "application/x-ndjson");
        exchange.response().setCharacterEncoding("UTF-8");
        exchange.response().setHeader(TRUNCATED, String.valueOf(more));
        exchange.response()
                .setHeader(
                        "Content-Disposition", "attachment; filename=\"" + exchange.path("app") + "." + format + "\"");
        exchange.response().getOutputStream().write(file);
    }

    /** @return whether there are more events */
    private static boolean collect(
            EventReader reader, EventFilter filter, boolean newestFirst, int limit, List<EventSummary> events)
            throws SQLException {
        long end = System.nanoTime() + SEARCH_NANOS;
        String cursor = null;
        do {
            EventPage page = reader.page(filter, newestFirst, cursor, limit - events.size());
            events.addAll(page.events());
            cursor = page.next();
        } while (cursor != null && events.size() < limit && System.nanoTime() - end < 0);
        return cursor != null;
    }

    private static byte[] ndjson(List<EventSummary> events) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (EventSummary event : events) {
            out.writeBytes(Json.bytes(event));
            out.write('\n');
        }
        return out.toByteArray();
    }

    private static byte[] csv(List<EventSummary> events) {
        StringBuilder text = new StringBuilder(String.join(",", COLUMNS)).append("\r\n");
        for (EventSummary event : events) {
            text.append(Stream.<@Nullable Object>of(
                                    event.id(),
                                    event.type(),
                                    event.aggregateType(),
                                    event.aggregateId(),
                                    event.tenant(),
                                    event.state().name().toLowerCase(Locale.ROOT),
                                    event.parked(),
                                    event.attempts(),
                                    event.availableAt(),
                                    event.createdAt(),
                                    event.doneAt(),
                                    event.lockedBy(),
                                    event.error())
                            .map(ExportRoutes::cell)
                            .collect(Collectors.joining(",")))
                    .append("\r\n");
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Quoted; a text that a spreadsheet would run as a formula begins with an apostrophe. */
    static String cell(@Nullable Object value) {
        String text = value == null ? "" : value.toString();
        if (!text.isEmpty() && "=+-@\t\r".indexOf(text.charAt(0)) >= 0) {
            text = "'" + text;
        }
        return text.isEmpty() ? "" : "\"" + text.replace("\"", "\"\"") + "\"";
    }
}
