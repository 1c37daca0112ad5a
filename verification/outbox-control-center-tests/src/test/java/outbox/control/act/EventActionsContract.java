package outbox.control.act;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.control.OutboxTable.event;

import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.control.OutboxTable;
import outbox.control.source.EventReader;
import outbox.control.source.EventState;
import outbox.control.source.EventSummary;
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
        for (EventAction action : EventAction.values()) {
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
