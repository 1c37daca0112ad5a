package outbox.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.spi.EventPurger;

/** Contract tests for every {@link EventPurger}; their store uses the purger's table. */
public abstract class EventPurgerContract extends StoreContract {
    private static final Duration DAY = Duration.ofDays(1);

    /** The purger of the table that {@link #openStore} gave a store for. */
    protected abstract EventPurger purger();

    @Test
    void doneRowsAreDeletedByTheTimeTheyEnded() throws Exception {
        EventEnvelope event = eventAt(Instant.now().minus(DAY.multipliedBy(30)));
        insert(event);
        run(conn -> store().markDone(conn, event.eventId()));

        assertEquals(0, purge(Instant.now().minus(DAY), 10), "created long ago, but ended just now");
        assertEquals(1, purge(Instant.now().plus(DAY), 10));
        assertTrue(find(event.eventId()).isEmpty());
    }

    @Test
    void deadRowsAreDeletedByTheTimeTheyWereCreated() throws Exception {
        Instant twoDaysAgo = Instant.now().minus(DAY.multipliedBy(2)).truncatedTo(ChronoUnit.MILLIS);
        EventEnvelope old = eventAt(twoDaysAgo);
        EventEnvelope recent = event();
        insert(old, recent);
        run(conn -> store().markDead(conn, old.eventId(), "poison") + store().markDead(conn, recent.eventId(), "x"));

        assertEquals(0, purge(twoDaysAgo, 10), "created at that time, not before it");
        assertEquals(1, purge(Instant.now().minus(DAY), 10));
        assertTrue(find(old.eventId()).isEmpty());
        assertTrue(find(recent.eventId()).isPresent());
    }

    @Test
    void whatIsStillToBeDeliveredIsNeverDeleted() throws Exception {
        EventEnvelope fresh = eventAt(Instant.EPOCH);
        EventEnvelope retry = eventAt(Instant.EPOCH);
        insert(fresh, retry);
        run(conn -> store().markRetry(conn, retry.eventId(), Instant.now(), "again"));

        assertEquals(0, purge(Instant.now().plus(DAY), 10));
        assertTrue(find(fresh.eventId()).isPresent());
        assertTrue(find(retry.eventId()).isPresent());
    }

    @Test
    void aReplayedRowIsNotDeleted() throws Exception {
        EventEnvelope event = eventAt(Instant.EPOCH);
        insert(event);
        run(conn -> store().markDead(conn, event.eventId(), "poison") + store().replayDead(conn, event.eventId()));
        assertEquals(0, purge(Instant.now().plus(DAY), 10));
    }

    @Test
    void aBatchIsNotLargerThanItsLimit() throws Exception {
        List<EventEnvelope> events =
                IntStream.range(0, 25).mapToObj(i -> eventAt(Instant.EPOCH)).toList();
        insert(events.toArray(EventEnvelope[]::new));
        for (int i = 0; i < 20; i++) {
            String id = events.get(i).eventId();
            boolean done = i % 2 == 0;
            run(conn -> done ? store().markDone(conn, id) : store().markDead(conn, id, "dead"));
        }

        assertEquals(12, purge(Instant.now().plus(DAY), 12));
        assertEquals(8, purge(Instant.now().plus(DAY), 12));
        assertEquals(0, purge(Instant.now().plus(DAY), 12));
        Set<String> left = new TreeSet<>();
        for (EventEnvelope event : events) {
            if (find(event.eventId()).isPresent()) {
                left.add(event.eventId());
            }
        }
        assertEquals(new TreeSet<>(ids(events.subList(20, 25))), left);
    }

    @Test
    void aBatchThatIsRolledBackDeletesNothing() throws Exception {
        EventEnvelope event = event();
        insert(event);
        run(conn -> store().markDone(conn, event.eventId()));
        assertThrows(
                IllegalStateException.class,
                () -> run(conn -> {
                    assertEquals(1, purger().purge(conn, Instant.now().plus(DAY), 10));
                    throw new IllegalStateException("the node dies here");
                }));
        assertTrue(find(event.eventId()).isPresent());
    }

    @Test
    void aLimitThatIsNotPositiveIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> purge(Instant.now(), 0));
        assertThrows(IllegalArgumentException.class, () -> purge(Instant.now(), -1));
    }

    private int purge(Instant before, int limit) throws SQLException {
        return run(conn -> purger().purge(conn, before, limit));
    }
}
