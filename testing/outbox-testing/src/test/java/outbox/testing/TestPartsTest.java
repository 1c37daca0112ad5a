package outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxWriter;
import outbox.model.EventStatus;
import outbox.spi.ClaimRequest;

/** The small parts a user's test is made of. */
class TestPartsTest {
    private static final EventEnvelope EVENT = EventEnvelope.ofJson("Happened", "{}");

    @Test
    void aListenerRecordsAndFailsAsTold() throws Exception {
        RecordingListener listener = new RecordingListener().failFirst(1, () -> new IOException("down"));
        assertThatThrownBy(() -> listener.onEvent(EVENT)).isInstanceOf(IOException.class);
        listener.onEvent(EVENT);
        assertThat(listener.received()).containsExactly(EVENT, EVENT);
        assertThat(listener.deliveredIds()).containsExactly(EVENT.eventId());

        listener.failAlways(() -> new IllegalStateException("closed"));
        assertThatThrownBy(() -> listener.onEvent(EVENT)).hasMessage("closed");
        listener.succeed().clear();
        listener.onEvent(EVENT);
        assertThat(listener.received()).hasSize(1);
    }

    @Test
    void waitingEndsWhenTheEventsHaveCome() throws Exception {
        RecordingListener listener = new RecordingListener();
        Thread sender = new Thread(() -> {
            for (int i = 0; i < 3; i++) {
                try {
                    listener.onEvent(EVENT);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        });
        sender.start();
        listener.awaitDelivered(3);
        listener.awaitReceived(3);
        sender.join();
    }

    @Test
    void waitingInVainSaysWhatCame() {
        RecordingListener listener = new RecordingListener();
        assertThatThrownBy(() -> listener.awaitDelivered(2, Duration.ofMillis(10)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("2 events; received 0, delivered 0");
    }

    @Test
    void theManualClockMovesOnlyWhenTold() {
        ManualClock clock = new ManualClock();
        assertThat(clock.instant()).isEqualTo(ManualClock.START).isEqualTo(clock.instant());
        assertThat(clock.advance(Duration.ofSeconds(5))).isEqualTo(ManualClock.START.plusSeconds(5));
        clock.set(ManualClock.START);
        assertThat(clock.instant()).isEqualTo(ManualClock.START);
    }

    @Test
    void leasesInMemoryEndByTheManualClock() throws SQLException {
        ManualClock clock = new ManualClock();
        InMemoryOutboxStore store = new InMemoryOutboxStore(clock);
        ClaimRequest request = new ClaimRequest("b", Duration.ofMinutes(5), Duration.ZERO, 10);
        try (Connection conn = store.connectionProvider().getConnection()) {
            store.insertLeased(conn, List.of(EVENT), "a");
            clock.advance(Duration.ofMinutes(5));
            assertThat(store.claim(conn, request)).isEmpty();
            clock.advance(Duration.ofNanos(1));
            assertThat(store.claim(conn, request)).hasSize(1);
        }
    }

    @Test
    void transactionsInMemoryCommitAndRollBack() {
        InMemoryOutboxStore store = new InMemoryOutboxStore();
        InMemoryTxContext tx = store.txContext();
        OutboxWriter writer = new OutboxWriter(tx, store);
        List<String> seen = new ArrayList<>();

        tx.inTransaction(() -> {
            writer.write(EVENT);
            tx.afterCommit(() -> seen.add("committed, active " + tx.isTransactionActive()));
        });
        assertThatThrownBy(() -> tx.inTransaction(() -> {
                    writer.write("Other", "{}");
                    tx.afterRollback(() -> seen.add("rolled back"));
                    throw new IllegalStateException("business failure");
                }))
                .hasMessage("business failure");
        assertThat(seen).containsExactly("committed, active false", "rolled back");
        assertThat(store.rows()).hasSize(1);
        assertThat(store.count(EventStatus.NEW)).isOne();
        assertThatThrownBy(tx::currentConnection).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void connectionsInMemoryRefuseSql() throws SQLException {
        try (Connection conn = new InMemoryOutboxStore().connectionProvider().getConnection()) {
            assertThatThrownBy(() -> conn.prepareStatement("SELECT 1"))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("runs no SQL");
            assertThatThrownBy(conn::commit).isInstanceOf(SQLException.class);
        }
        Connection closed = new InMemoryOutboxStore().connectionProvider().getConnection();
        closed.close();
        assertThat(closed.isClosed()).isTrue();
        assertThatThrownBy(closed::getAutoCommit).isInstanceOf(SQLException.class);
    }

    @Test
    void awaitDoneInMemorySeesTheMark() throws SQLException {
        InMemoryOutboxStore store = new InMemoryOutboxStore();
        try (Connection conn = store.connectionProvider().getConnection()) {
            store.insertNew(conn, EVENT);
            store.markDone(conn, EVENT.eventId());
        }
        Outboxes.awaitDone(store, EVENT.eventId());
    }
}
