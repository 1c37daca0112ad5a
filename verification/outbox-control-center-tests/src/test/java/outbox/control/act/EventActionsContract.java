package outbox.control.act;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static outbox.control.OutboxTable.event;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.control.OutboxTable;
import outbox.control.source.EventReader;
import outbox.control.source.EventState;
import outbox.control.source.EventSummary;
import outbox.domain.handler.HandlerOutcome;
import outbox.domain.handler.HandlerProgress;
import outbox.domain.handler.HandlerState;
import outbox.idempotency.jdbc.IdempotencySchema;
import outbox.idempotency.jdbc.JdbcEventConsumptionTracker;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.testing.server.DatabaseServer;

/** What an operator's choice does to a row, the same on every database. */
abstract class EventActionsContract {
    private OutboxTable table;
    private EventReader reader;

    abstract DatabaseServer server();

    @BeforeEach
    void createTable() throws SQLException {
        table = OutboxTable.on(server());
        reader = new EventReader(table.application());
    }

    @Test
    void aDeadEventIsNewAgain() throws SQLException {
        String id = table.dead(event("A", "1").build(), "gone");
        assertThat(perform(EventAction.RETRY, id)).isTrue();
        assertThat(row(id).state()).isEqualTo(EventState.NEW);
        assertThat(row(id).attempts()).isZero();
    }

    @Test
    void anEventThatWaitsIsDueNow() throws SQLException {
        String id = table.retrying(event("A", "1").build(), "again");
        assertThat(perform(EventAction.RETRY, id)).isTrue();
        assertThat(row(id).state()).isEqualTo(EventState.RETRY);
        assertThat(row(id).availableAt()).isBefore(Instant.now().plusSeconds(60));
    }

    @Test
    void everyHandlerThatHasNotConsumedAnEventIsDueWithIt() throws SQLException {
        JdbcEventConsumptionTracker tracker = tracker();
        String id = table.retrying(event("A", "1").build(), "again");
        tracker.record(List.of(
                new HandlerOutcome(id, "stock", HandlerState.DONE, 1, Duration.ZERO, null),
                new HandlerOutcome(id, "mail", HandlerState.RETRY, 3, Duration.ofHours(1), "smtp down"),
                new HandlerOutcome(id, "crm", HandlerState.DEAD, 5, Duration.ZERO, "gone")));

        assertThat(perform(EventAction.RETRY, id)).isTrue();

        assertThat(tracker.progressOf(id))
                .allSatisfy(progress -> assertThat(progress.dueIn()).isZero())
                .extracting(HandlerProgress::handler, HandlerProgress::state, HandlerProgress::attempts)
                .containsExactlyInAnyOrder(
                        tuple("stock", HandlerState.DONE, 1),
                        tuple("mail", HandlerState.RETRY, 3),
                        tuple("crm", HandlerState.RETRY, 0));
    }

    @Test
    void handlersOfAParkedEventAreDueWhenItIsRetried() throws SQLException {
        JdbcEventConsumptionTracker tracker = tracker();
        String id = table.retrying(event("A", "1").build(), "again");
        tracker.record(List.of(
                new HandlerOutcome(id, "mail", HandlerState.RETRY, 3, Duration.ofHours(1), "smtp down"),
                new HandlerOutcome("other", "mail", HandlerState.RETRY, 3, Duration.ofHours(1), "smtp down")));
        assertThat(perform(EventAction.PARK, id)).isTrue();

        assertThat(perform(EventAction.RETRY, id)).isTrue();

        assertThat(tracker.progressOf(id).get(0).dueIn()).isZero();
        assertThat(tracker.progressOf("other").get(0).dueIn()).isPositive();
    }

    @Test
    void handlersOfAnEventThatIsNotRetriedKeepTheirTime() throws SQLException {
        JdbcEventConsumptionTracker tracker = tracker();
        String id = table.beingDelivered(event("A", "1").build());
        tracker.record(
                List.of(new HandlerOutcome(id, "mail", HandlerState.RETRY, 3, Duration.ofHours(1), "smtp down")));

        assertThat(perform(EventAction.RETRY, id)).isFalse();

        assertThat(tracker.progressOf(id).get(0).dueIn()).isPositive();
    }

    private JdbcEventConsumptionTracker tracker() throws SQLException {
        String database = table.application().store().name();
        try (Connection conn = table.dataSource().getConnection()) {
            IdempotencySchema.of(database).apply(conn);
        }
        return new JdbcEventConsumptionTracker(database, table.dataSource()::getConnection, new ThreadLocalTxContext());
    }

    @Test
    void aSkippedEventIsDone() throws SQLException {
        String id = table.dead(event("A", "1").build(), "gone");
        assertThat(perform(EventAction.SKIP, id)).isTrue();
        assertThat(row(id).state()).isEqualTo(EventState.DONE);
    }

    @Test
    void aParkedEventIsDeadAndOutOfTheWay() throws SQLException {
        String id = table.insert(event("A", "1").build());
        assertThat(perform(EventAction.PARK, id)).isTrue();
        assertThat(row(id).state()).isEqualTo(EventState.DEAD);
        assertThat(row(id).parked()).isTrue();
    }

    @Test
    void aDeletedEventIsGone() throws SQLException {
        String id = table.dead(event("A", "1").build(), "gone");
        assertThat(perform(EventAction.DELETE, id)).isTrue();
        assertThat(reader.event(id)).isNull();
    }

    @Test
    void anEventThatIsBeingDeliveredIsLeftAlone() throws SQLException {
        String id = table.beingDelivered(event("A", "1").build());
        for (EventAction action : EventAction.OF_ONE_EVENT) {
            assertThat(perform(action, id)).as("%s", action).isFalse();
        }
        assertThat(row(id).state()).isEqualTo(EventState.NEW);
    }

    @Test
    void aDoneEventIsNotRetried() throws SQLException {
        String id = table.done(event("A", "1").build());
        assertThat(perform(EventAction.RETRY, id)).isFalse();
        assertThat(row(id).state()).isEqualTo(EventState.DONE);
    }

    @Test
    void ofTwoOperatorsWhoDoTheSameAtOnceOneIsTooLate() throws Exception {
        for (EventAction action : List.of(EventAction.RETRY, EventAction.SKIP, EventAction.DELETE)) {
            for (int round = 0; round < 5; round++) {
                String id = table.dead(event("A", "1").build(), "gone");
                assertThat(AtOnce.run(() -> perform(action, id), () -> perform(action, id)))
                        .as("%s", action)
                        .containsExactlyInAnyOrder(true, false);
            }
        }
    }

    @Test
    void whoRetriesAnEventThatAnotherDeletesAtThatMomentDoesNotBringItBack() throws Exception {
        for (int round = 0; round < 10; round++) {
            String id = table.dead(event("A", "1").build(), "gone");
            List<Boolean> told =
                    AtOnce.run(() -> perform(EventAction.RETRY, id), () -> perform(EventAction.DELETE, id));
            assertThat(told.get(1)).isTrue();
            assertThat(reader.event(id)).isNull();
        }
    }

    private boolean perform(EventAction action, String id) throws SQLException {
        return EventActions.perform(table.application(), action, id);
    }

    private EventSummary row(String id) throws SQLException {
        return reader.event(id).event();
    }
}
