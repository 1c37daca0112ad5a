package outbox.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.RetentionPurger;
import outbox.spi.RetentionPurger.Cutoff;
import outbox.spi.Settlement;

/** Contract tests for every {@link RetentionPurger}; their store uses the purger's table. */
public abstract class RetentionPurgerContract extends EventPurgerContract {
    private static final Duration DAY = Duration.ofDays(1);

    @Override
    protected abstract LeasingOutboxStore openStore() throws Exception;

    @Override
    protected abstract RetentionPurger purger();

    private static EventEnvelope old(String aggregateId) {
        EventEnvelope.Builder event = EventEnvelope.builder("Happened")
                .occurredAt(Instant.now().minus(DAY.multipliedBy(60)))
                .payloadJson("{}");
        return (aggregateId.isEmpty() ? event : event.aggregateType("Thing").aggregateId(aggregateId)).build();
    }

    private void settle(EventEnvelope event, Settlement outcome) throws SQLException {
        LeasingOutboxStore store = (LeasingOutboxStore) store();
        run(conn -> {
            store.insertLeased(conn, List.of(event), "n");
            return store.settle(conn, "n", List.of(outcome));
        });
    }

    private int purge(Instant doneBefore, Instant deadBefore, boolean keepsBlocking) throws SQLException {
        return run(conn -> purger().purge(conn, new Cutoff(doneBefore, deadBefore, keepsBlocking), 10));
    }

    @Test
    void anEventThatHasJustDiedStaysHoweverOldItIs() throws Exception {
        EventEnvelope event = old("");
        settle(event, new Settlement.Dead(event.eventId(), 3, "poison"));

        assertEquals(0, (int) run(conn -> purger().purge(conn, Instant.now().minus(DAY), 10)));
        assertTrue(find(event.eventId()).isPresent());
        assertEquals(1, (int) run(conn -> purger().purge(conn, Instant.now().plus(DAY), 10)));
    }

    @Test
    void whatAnOperatorHasJustSkippedOrParkedStaysHoweverOldItIs() throws Exception {
        EventEnvelope skipped = old("");
        EventEnvelope parked = old("");
        LeasingOutboxStore store = (LeasingOutboxStore) store();
        run(conn -> {
            store.insertBatch(conn, List.of(skipped, parked));
            return store.skip(conn, skipped.eventId()) + store.park(conn, parked.eventId());
        });
        Instant past = Instant.now().minus(DAY);
        Instant future = Instant.now().plus(DAY);

        assertEquals(0, purge(past, past, false));
        assertTrue(find(skipped.eventId()).isPresent());
        assertTrue(find(parked.eventId()).isPresent());
        assertEquals(2, purge(future, future, false));
    }

    @Test
    void deadLettersHaveATimeOfTheirOwn() throws Exception {
        EventEnvelope done = old("");
        EventEnvelope dead = old("");
        settle(done, new Settlement.Done(done.eventId()));
        settle(dead, new Settlement.Dead(dead.eventId(), 3, "poison"));
        Instant past = Instant.now().minus(DAY);
        Instant future = Instant.now().plus(DAY);

        assertEquals(0, purge(past, past, false));
        assertEquals(1, purge(future, past, false));
        assertTrue(find(done.eventId()).isEmpty());
        assertTrue(find(dead.eventId()).isPresent());
        assertEquals(1, purge(past, future, false));
        assertTrue(find(dead.eventId()).isEmpty());
    }

    @Test
    void aDeadLetterThatBlocksItsAggregateStaysWhateverItsAge() throws Exception {
        EventEnvelope blocking = old("1");
        EventEnvelope parked = old("2");
        EventEnvelope alone = old("");
        for (EventEnvelope event : List.of(blocking, parked, alone)) {
            settle(event, new Settlement.Dead(event.eventId(), 3, "poison"));
        }
        LeasingOutboxStore store = (LeasingOutboxStore) store();
        assertEquals(1, (int) run(conn -> store.park(conn, parked.eventId())));
        Instant future = Instant.now().plus(DAY);

        assertEquals(2, purge(future, future, true));
        assertTrue(find(blocking.eventId()).isPresent());
        assertEquals(0, purge(future, future, true));
        assertEquals(1, (int) run(conn -> store.skip(conn, blocking.eventId())), "an operator decides");
        assertEquals(1, purge(future, future, true));
    }
}
