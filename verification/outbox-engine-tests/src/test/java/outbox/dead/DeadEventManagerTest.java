package outbox.dead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.RecordedLogs;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.ConnectionProvider;
import outbox.spi.OutboxStore;
import outbox.testing.InMemoryOutboxStore;

/** What the facade adds to the store: connections, batches, and what it says when the database fails. */
@Timeout(60)
class DeadEventManagerTest {
    private final InMemoryOutboxStore store = new InMemoryOutboxStore();
    private final ConnectionProvider connections = store.connectionProvider();
    private final DeadEventManager dead = new DeadEventManager(connections, store);

    private List<String> dead(String aggregateType, String eventType, int count) throws SQLException {
        List<EventEnvelope> events = IntStream.range(0, count)
                .mapToObj(i -> EventEnvelope.builder(eventType)
                        .aggregateType(aggregateType)
                        .occurredAt(Instant.parse("2030-01-01T00:00:00Z").plusSeconds(i / 3))
                        .payloadJson("{}")
                        .build())
                .toList();
        try (Connection conn = connections.getConnection()) {
            store.insertBatch(conn, events);
            events.forEach(event -> store.markDead(conn, event.eventId(), "gone wrong"));
        }
        return events.stream().map(EventEnvelope::eventId).toList();
    }

    @Test
    void allThatMatchAreReplayedWhateverTheSizeOfABatch() throws SQLException {
        List<String> paid = dead("Order", "Paid", 25);
        dead("Order", "Placed", 2);
        dead("Bill", "Paid", 3);

        assertThat(dead.replayAll("Paid", "Order", 10)).isEqualTo(25);
        assertThat(paid).allMatch(id -> store.row(id).status() == EventStatus.NEW);
        assertThat(dead.count(null)).isEqualTo(5);
        assertThat(dead.query(null, "Bill", 10)).hasSize(3);
        assertThat(dead.replayAll(null, null, 1)).isEqualTo(5);
        assertThat(dead.replayAll(null, null, 10)).isZero();
    }

    @Test
    void anEventThatIsDeadAgainAtOnceIsReplayedOnceAndDoesNotHideTheOthers() throws SQLException {
        List<String> ids = dead("Order", "Paid", 25);
        List<String> replayed = new ArrayList<>();
        OutboxStore hopeless = watching((method, args) -> {
            if (method.equals("replayDead")) {
                replayed.add((String) args[1]);
                store.markDead((Connection) args[0], (String) args[1], "and again");
            }
        });

        assertThat(new DeadEventManager(connections, hopeless).replayAll(null, null, 4))
                .isEqualTo(25);
        assertThat(replayed).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(dead.count(null)).isEqualTo(25);
    }

    @Test
    void aDatabaseThatFailsIsLoggedAndAnsweredWithNothing() throws SQLException {
        String id = dead("Order", "Paid", 1).get(0);
        DeadEventManager cutOff = new DeadEventManager(
                () -> {
                    throw new SQLException("connection refused");
                },
                store);
        try (RecordedLogs logs = new RecordedLogs()) {
            assertThat(cutOff.query(null, null, 10)).isEmpty();
            assertThat(cutOff.replay(id)).isFalse();
            assertThat(cutOff.replayAll(null, null, 10)).isZero();
            assertThat(cutOff.count(null)).isZero();
            assertThat(logs.of(DeadEventManager.class, Level.SEVERE))
                    .hasSize(4)
                    .anyMatch(message -> message.contains(id));
        }
        assertThat(dead.count(null)).isEqualTo(1);
    }

    @Test
    void whatWasReplayedBeforeTheDatabaseFailedIsCounted() throws SQLException {
        dead("Order", "Paid", 25);
        AtomicInteger left = new AtomicInteger(2);
        DeadEventManager cutOffLater = new DeadEventManager(
                () -> {
                    if (left.getAndDecrement() == 0) {
                        throw new SQLException("connection refused");
                    }
                    return connections.getConnection();
                },
                store);
        assertThat(cutOffLater.replayAll(null, null, 10)).isEqualTo(20);
        assertThat(dead.count(null)).isEqualTo(5);
        assertThat(dead.query(null, null, 10))
                .extracting(OutboxEvent::eventType)
                .containsOnly("Paid");
    }

    @Test
    void sizesMustBePositive() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> dead.query(null, null, 0))
                .withMessageContaining("limit must be positive: 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> dead.replayAll(null, null, -1))
                .withMessageContaining("batchSize must be positive: -1");
    }

    private interface Afterwards {
        void called(String method, Object[] args);
    }

    private OutboxStore watching(Afterwards afterwards) {
        return (OutboxStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {OutboxStore.class}, (proxy, method, args) -> {
                    try {
                        Object result = method.invoke(store, args);
                        afterwards.called(method.getName(), args);
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void theOtherFormsTellOfADatabaseThatFails() throws SQLException {
        String id = dead("Order", "Paid", 1).get(0);
        DeadEventManager cutOff = new DeadEventManager(
                () -> {
                    throw new SQLException("connection refused", "08001");
                },
                store);
        assertThatThrownBy(() -> cutOff.queryOrFail(null, null, 10)).hasMessage("connection refused");
        assertThatThrownBy(() -> cutOff.replayOrFail(id)).hasMessage("connection refused");
        assertThatThrownBy(() -> cutOff.countOrFail(null)).hasMessage("connection refused");
        assertThatThrownBy(() -> cutOff.skipOrFail(id)).hasMessage("connection refused");
        assertThatThrownBy(() -> cutOff.parkOrFail(id)).hasMessage("connection refused");
        assertThatThrownBy(() -> cutOff.replayAllOrFail(null, null, 10))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("08001"))
                .hasMessageContaining("0 were replayed before: connection refused");
    }

    @Test
    void aReplayThatFailsHalfWaySaysHowManyWereReplayed() throws SQLException {
        dead("Order", "Paid", 25);
        AtomicInteger left = new AtomicInteger(2);
        DeadEventManager cutOffLater = new DeadEventManager(
                () -> {
                    if (left.getAndDecrement() == 0) {
                        throw new SQLException("connection refused");
                    }
                    return connections.getConnection();
                },
                store);
        assertThatThrownBy(() -> cutOffLater.replayAllOrFail(null, null, 10))
                .hasMessageContaining("20 were replayed before: connection refused");
        assertThat(dead.countOrFail(null)).isEqualTo(5);
    }

    @Test
    void whereTheDatabaseWorksBothFormsAnswerTheSame() throws SQLException {
        List<String> ids = dead("Order", "Paid", 5);
        assertThat(dead.countOrFail("Paid")).isEqualTo(5);
        assertThat(dead.queryOrFail("Paid", "Order", 2)).hasSize(2);
        assertThat(dead.replayOrFail(ids.get(0))).isTrue();
        assertThat(dead.replayOrFail(ids.get(0))).isFalse();
        assertThat(dead.skipOrFail(ids.get(1))).isTrue();
        assertThat(dead.parkOrFail(ids.get(2))).isTrue();
        assertThat(dead.replayAllOrFail(null, null, 2)).isEqualTo(3);
        assertThat(dead.countOrFail(null)).isZero();
    }
}
