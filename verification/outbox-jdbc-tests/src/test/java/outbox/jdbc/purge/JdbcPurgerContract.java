package outbox.jdbc.purge;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import outbox.EventEnvelope;
import outbox.jdbc.TestTable;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.purge.OutboxPurgeScheduler;
import outbox.spi.ConnectionProvider;
import outbox.spi.RetentionPurger;
import outbox.testing.RetentionPurgerContract;
import outbox.testing.StoredRow;
import outbox.testing.server.DatabaseServer;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JdbcPurgerContract extends RetentionPurgerContract {
    private final Supplier<DatabaseServer> server;
    private final AbstractJdbcOutboxStore store;
    private TestTable table;

    JdbcPurgerContract(Supplier<DatabaseServer> server, AbstractJdbcOutboxStore store) {
        this.server = server;
        this.store = store;
    }

    @Override
    protected AbstractJdbcOutboxStore openStore() throws SQLException {
        if (table == null) {
            table = new TestTable(server.get(), store);
        } else {
            table.recreate();
        }
        return store;
    }

    final AbstractJdbcOutboxStore store() {
        return store;
    }

    @AfterAll
    void dropDatabase() throws SQLException {
        table.close();
    }

    @Override
    protected RetentionPurger purger() {
        return (RetentionPurger) store.purger();
    }

    @Override
    protected ConnectionProvider connections() {
        return table.dataSource()::getConnection;
    }

    @Override
    protected StoredRow read(Connection conn, String eventId) throws SQLException {
        return table.read(conn, eventId);
    }

    @Test
    void aNodeWhoseClockIsAheadDeletesNothingBeforeItsTime() throws SQLException {
        EventEnvelope event = EventEnvelope.ofJson("Recent", "{}");
        OutboxPurgeScheduler purge = OutboxPurgeScheduler.builder()
                .connectionProvider(connections())
                .purger(purger())
                .retention(Duration.ofDays(7))
                .clock(() -> Instant.now().plus(Duration.ofDays(30)))
                .build();
        try (Connection conn = connections().getConnection()) {
            store.insertNew(conn, event);
            store.markDone(conn, event.eventId());
            purge.runOnce();
            assertThat(read(conn, event.eventId())).isNotNull();
            assertThat(purger().now(conn).orElseThrow())
                    .isBetween(Instant.now().minusSeconds(600), Instant.now().plusSeconds(600));
        }
    }
}
