package outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TestTable;
import outbox.model.EventStatus;
import outbox.spi.Settlement;
import outbox.testing.server.EmbeddedH2;

/** A deadlock is the database's way to ask for the same once more: nobody has to hear of it. */
class OwnTransactionTest {
    private final H2OutboxStore store = new H2OutboxStore();
    private final EventEnvelope event = EventEnvelope.ofJson("E", "{}");
    private TestTable table;

    @BeforeEach
    void insertLeased() throws SQLException {
        table = new TestTable(EmbeddedH2.shared(), store);
        try (Connection conn = table.dataSource().getConnection()) {
            store.insertLeased(conn, List.of(event), "me");
        }
    }

    @AfterEach
    void drop() throws SQLException {
        table.close();
    }

    @Test
    void aSettlementThatWasTheVictimOfADeadlockIsTriedAgain() throws SQLException {
        try (Connection conn = deadlocks(table.dataSource().getConnection(), 2)) {
            assertThat(store.settle(conn, "me", List.of(new Settlement.Done(event.eventId()))))
                    .isEmpty();
            assertThat(conn.getAutoCommit()).isTrue();
            assertThat(table.read(conn, event.eventId()).status()).isEqualTo(EventStatus.DONE);
        }
    }

    @Test
    void inTheCallersTransactionItIsNot() throws SQLException {
        try (Connection conn = deadlocks(table.dataSource().getConnection(), 1)) {
            conn.setAutoCommit(false);
            assertThatThrownBy(() -> store.settle(
                            conn, "me", List.of(new Settlement.Retry(event.eventId(), 1, Duration.ZERO, "again"))))
                    .isInstanceOf(OutboxStoreException.class);
        }
    }

    /** The first UPDATEs of the outbox end in a deadlock. */
    private static Connection deadlocks(Connection conn, int times) {
        AtomicInteger left = new AtomicInteger(times);
        return (Connection) Proxy.newProxyInstance(
                OwnTransactionTest.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    if (method.getName().equals("prepareStatement")
                            && ((String) args[0]).startsWith("UPDATE")
                            && left.getAndDecrement() > 0) {
                        throw new SQLException("simulated deadlock", "40001");
                    }
                    try {
                        return method.invoke(conn, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
