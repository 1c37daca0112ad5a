package outbox.samples.spring;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import outbox.dead.DeadEventManager;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;

/** A look at the outbox from outside: its rows, what was delivered, what is dead. */
@RestController
class OutboxController {
    private final JdbcClient jdbc;
    private final Deliveries deliveries;
    private final DeadEventManager deadEvents;

    OutboxController(JdbcClient jdbc, Deliveries deliveries, DeadEventManager deadEvents) {
        this.jdbc = jdbc;
        this.deliveries = deliveries;
        this.deadEvents = deadEvents;
    }

    record Event(String eventId, String eventType, String aggregateId, EventStatus status, int attempts) {}

    @GetMapping("/events")
    List<Event> events() {
        return jdbc.sql("SELECT event_id, event_type, aggregate_id, status, attempts FROM outbox_event"
                        + " ORDER BY created_at, event_id")
                .query((row, number) -> new Event(
                        row.getString("event_id"),
                        row.getString("event_type"),
                        row.getString("aggregate_id"),
                        EventStatus.fromCode(row.getInt("status")),
                        row.getInt("attempts")))
                .list();
    }

    @GetMapping("/deliveries")
    List<Deliveries.Delivery> deliveries() {
        return deliveries.all();
    }

    @GetMapping("/dead-letters")
    List<OutboxEvent> deadLetters() throws SQLException {
        return deadEvents.queryOrFail(null, null, 100);
    }

    /** Removes the cause and sends the event on its way again. */
    @PostMapping("/dead-letters/{eventId}/replay")
    Map<String, String> replay(@PathVariable String eventId) throws SQLException {
        deliveries.acceptBombs();
        if (!deadEvents.replayOrFail(eventId)) {
            throw new ResponseStatusException(HttpStatus.NOT_FOUND, "no dead letter " + eventId);
        }
        return Map.of("replayed", eventId);
    }
}
