package outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.EventEnvelope;
import outbox.jdbc.TestTable;
import outbox.spi.ClaimRequest;
import outbox.spi.Settlement;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.EmbeddedMariaDb;
import outbox.testing.server.EmbeddedMySql;
import outbox.testing.server.EmbeddedPostgres;

class CustomTableIT {
    static Stream<Arguments> stores() {
        Supplier<DatabaseServer> h2 = EmbeddedH2::shared;
        Supplier<DatabaseServer> postgres = EmbeddedPostgres::shared;
        Supplier<DatabaseServer> mySql = EmbeddedMySql::shared;
        Supplier<DatabaseServer> mariaDb = EmbeddedMariaDb::shared;
        return Stream.of("sales.outbox_event", "sales.Events_2", "Order_Events")
                .flatMap(name -> Stream.of(
                        Arguments.of(new H2OutboxStore(name), h2),
                        Arguments.of(new PostgresOutboxStore(name), postgres),
                        Arguments.of(new MySqlOutboxStore(name), mySql),
                        Arguments.of(new MariaDbOutboxStore(name), mariaDb)));
    }

    @ParameterizedTest
    @MethodSource("stores")
    void everythingWorksOnATableOfAnotherNameOrSchema(AbstractJdbcOutboxStore store, Supplier<DatabaseServer> server)
            throws SQLException {
        try (TestTable table = new TestTable(server.get(), store);
                Connection conn = table.dataSource().getConnection()) {
            store.verifySchema(conn);
            EventEnvelope event = EventEnvelope.ofJson("Placed", "{}");
            EventEnvelope other = EventEnvelope.ofJson("Placed", "{}");
            store.insertBatch(conn, List.of(event, other));
            ClaimRequest request = new ClaimRequest("a", Duration.ofMinutes(5), Duration.ZERO, 10);
            assertThat(store.claim(conn, request)).hasSize(2);
            assertThat(store.renew(conn, "a", List.of(event.eventId()))).isEmpty();
            assertThat(store.settle(
                            conn,
                            "a",
                            List.of(
                                    new Settlement.Done(event.eventId()),
                                    new Settlement.Dead(other.eventId(), 1, "poison"))))
                    .isEmpty();
            assertThat(store.queryDead(conn, null, null, 10)).hasSize(1);
            assertThat(store.replayDead(conn, other.eventId())).isOne();
            assertThat(store.purger().purge(conn, Instant.now().plusSeconds(600), 10))
                    .isOne();
        }
    }
}
