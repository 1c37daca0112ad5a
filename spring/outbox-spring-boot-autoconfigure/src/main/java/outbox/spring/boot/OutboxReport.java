package outbox.spring.boot;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import outbox.domain.handler.EventHandlers;
import outbox.domain.handler.HandlerProgress;
import outbox.domain.handler.HandlerState;
import outbox.jdbc.store.EventLookup;
import outbox.model.EventStatus;
import outbox.spi.UnitOfWork;

/** A summary of an outbox as plain maps for JSON. Counts end at {@value #COUNT_TO}. */
final class OutboxReport {
    static final int COUNT_TO = 10_000;

    private final OutboxUnit unit;

    OutboxReport(OutboxUnit unit) {
        this.unit = unit;
    }

    private interface Look<T> {
        T at(EventLookup lookup, Connection conn) throws SQLException;
    }

    private <T> T look(Look<T> look) throws SQLException {
        EventLookup lookup = unit.parts().store().lookup();
        return UnitOfWork.run(unit.parts().connections(), conn -> look.at(lookup, conn));
    }

    Map<String, Object> summary() throws SQLException {
        Map<String, Object> summary = new LinkedHashMap<>();
        summary.put("running", unit.outbox().isRunning());
        summary.put("delivers", unit.parts().delivers());
        summary.put("table", unit.parts().store().tableName());
        Map<String, Integer> counts = look((lookup, conn) -> {
            Map<String, Integer> all = new LinkedHashMap<>();
            for (EventStatus status : List.of(EventStatus.NEW, EventStatus.RETRY, EventStatus.DEAD)) {
                all.put(status.name(), lookup.count(conn, status, COUNT_TO));
            }
            return all;
        });
        summary.put("counts", counts);
        summary.put("oldestPendingSeconds", oldestPendingAge().toSeconds());
        if (unit.isInbox()) {
            summary.put("received", unit.received());
        }
        EventHandlers handlers = unit.handlers();
        if (handlers != null) {
            summary.put(
                    "handlers",
                    handlers.handlers().stream().map(OutboxReport::handler).toList());
            summary.put("unknownHandlers", handlers.unknownHandlers());
        }
        return summary;
    }

    /** Where a relay delivers from the database's log no row is marked, and none says that it waits. */
    private Duration oldestPendingAge() throws SQLException {
        return unit.parts().relays()
                ? Duration.ZERO
                : look((lookup, conn) ->
                        Objects.requireNonNullElse(unit.parts().store().oldestPendingAge(conn), Duration.ZERO));
    }

    private static Map<String, Object> handler(EventHandlers.HandlerInfo info) {
        Map<String, Object> handler = new LinkedHashMap<>();
        handler.put("name", info.name());
        handler.put("method", info.origin());
        handler.put("eventTypes", info.eventTypes());
        handler.put("maxAttempts", info.retry().maxAttempts());
        handler.put("transactional", info.transactional());
        handler.put("running", info.running());
        handler.put("waiting", info.waiting());
        handler.put("breaker", info.breaker().name());
        return handler;
    }

    List<Map<String, Object>> events(@Nullable EventStatus status, @Nullable String type, int limit)
            throws SQLException {
        return look((lookup, conn) -> lookup.find(conn, status, type, limit)).stream()
                .map(row -> event(row, false))
                .toList();
    }

    @Nullable
    Map<String, Object> event(String eventId, boolean withPayload) throws SQLException {
        Optional<EventLookup.Row> found = look((lookup, conn) -> Optional.ofNullable(lookup.one(conn, eventId)));
        if (found.isEmpty()) {
            return null;
        }
        EventLookup.Row row = found.get();
        Map<String, Object> event = event(row, withPayload);
        EventHandlers handlers = unit.handlers();
        if (handlers != null) {
            event.put(
                    "handlers",
                    handlers.progressOf(eventId, row.eventType()).stream()
                            .map(progress -> progress(progress, row.status()))
                            .toList());
        }
        return event;
    }

    /** Of an event whose handlers all succeeded at once nothing is stored: the row says it. */
    private static Map<String, Object> progress(HandlerProgress progress, EventStatus row) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("handler", progress.handler());
        boolean isInRow = progress.state() == HandlerState.PENDING && row == EventStatus.DONE;
        map.put("state", (isInRow ? HandlerState.DONE : progress.state()).name());
        map.put("attempts", progress.attempts());
        put(map, "lastError", progress.lastError());
        put(map, "updatedAt", progress.updatedAt());
        return map;
    }

    private static Map<String, Object> event(EventLookup.Row row, boolean withPayload) {
        Map<String, Object> event = new LinkedHashMap<>();
        event.put("eventId", row.eventId());
        event.put("eventType", row.eventType());
        put(event, "aggregateType", row.aggregateType());
        put(event, "aggregateId", row.aggregateId());
        put(event, "tenantId", row.tenantId());
        event.put("status", row.status().name());
        event.put("attempts", row.attempts());
        event.put("createdAt", row.createdAt().toString());
        event.put("availableAt", row.availableAt().toString());
        put(event, "doneAt", row.doneAt());
        put(event, "lastError", row.lastError());
        put(event, "lockedBy", row.lockedBy());
        if (withPayload) {
            event.put("payload", row.payloadJson());
            put(event, "headers", row.headersJson());
        }
        return event;
    }

    private static void put(Map<String, Object> map, String name, @Nullable Object value) {
        if (value != null) {
            map.put(name, value.toString());
        }
    }
}
