package outbox.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import outbox.EventEnvelope;
import outbox.model.OutboxEvent;
import outbox.spi.ConnectionProvider;
import outbox.spi.OutboxStore;
import outbox.spi.UnitOfWork;

/** Base of the contract suites: the methods to implement, and common steps. */
abstract class StoreContract {
    static final Duration NONE = Duration.ZERO;

    private OutboxStore store = new InMemoryOutboxStore();

    /** A store on an empty table; called before each test. */
    protected abstract OutboxStore openStore() throws Exception;

    /** Connections to that table, as the application would take them. */
    protected abstract ConnectionProvider connections();

    /** Reads the row without the store; {@code null} if there is none. */
    protected abstract @Nullable StoredRow read(Connection conn, String eventId) throws SQLException;

    @BeforeEach
    void open() throws Exception {
        store = openStore();
    }

    final OutboxStore store() {
        return store;
    }

    final void insert(EventEnvelope... events) throws SQLException {
        run(conn -> {
            if (events.length == 1) {
                store.insertNew(conn, events[0]);
            } else {
                store.insertBatch(conn, List.of(events));
            }
            return events.length;
        });
    }

    final <T> T run(UnitOfWork.Work<T> work) throws SQLException {
        return UnitOfWork.run(connections(), work);
    }

    /** As the engine calls a store, which may then try again what a deadlock undid. */
    final <T> T single(UnitOfWork.Work<T> call) throws SQLException {
        return UnitOfWork.single(connections(), call);
    }

    final StoredRow row(EventEnvelope event) throws SQLException {
        return find(event.eventId()).orElseThrow(() -> new AssertionError("no row " + event));
    }

    final Optional<StoredRow> find(String eventId) throws SQLException {
        return run(conn -> Optional.ofNullable(read(conn, eventId)));
    }

    static String message(Throwable failure) {
        return String.valueOf(failure.getMessage());
    }

    final List<OutboxEvent> poll(Instant now) throws SQLException {
        return poll(now, 100);
    }

    final List<OutboxEvent> poll(Instant now, int limit) throws SQLException {
        return run(conn -> store.pollPending(conn, now, NONE, limit));
    }

    final List<OutboxEvent> claim(String owner, Instant now, Instant lockExpiry) throws SQLException {
        return run(conn -> store.claimPending(conn, owner, now, lockExpiry, NONE, 100));
    }

    final List<String> dead(@Nullable String eventType, @Nullable String aggregateType, int limit) throws SQLException {
        return polledIds(run(conn -> store.queryDead(conn, eventType, aggregateType, limit)));
    }

    static EventEnvelope event() {
        return EventEnvelope.ofJson("Happened", "{}");
    }

    static EventEnvelope eventAt(Instant occurredAt) {
        return EventEnvelope.builder("Happened")
                .occurredAt(occurredAt)
                .payloadJson("{}")
                .build();
    }

    /** A time at which all that was inserted by now is due, whatever the database's clock says. */
    static Instant later() {
        return Instant.now().plus(Duration.ofMinutes(30)).truncatedTo(ChronoUnit.MILLIS);
    }

    static List<String> polledIds(List<OutboxEvent> rows) {
        return rows.stream().map(OutboxEvent::eventId).toList();
    }

    static Set<String> ids(List<EventEnvelope> events) {
        return events.stream().map(EventEnvelope::eventId).collect(Collectors.toSet());
    }

    static OutboxEvent only(List<OutboxEvent> rows) {
        assertEquals(1, rows.size(), "rows");
        return rows.get(0);
    }

    /** Without the white space that databases put behind colons and commas; the texts used here have none of their own. */
    static String compact(String json) {
        return json.replace("\": \"", "\":\"").replace("\": ", "\":").replace(", ", ",");
    }
}
