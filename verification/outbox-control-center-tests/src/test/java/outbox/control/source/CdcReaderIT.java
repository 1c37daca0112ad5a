package outbox.control.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.control.OutboxTable;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.EmbeddedServer;
import outbox.testing.server.ServerOptions;

/** How far a relay is, with a replication slot as a relay creates it. */
class CdcReaderIT {
    private static final Path TABLES =
            Path.of("../../engine/outbox-cdc/src/main/resources/outbox/cdc/schema/postgresql.sql");

    private static EmbeddedServer server;

    private OutboxTable orders;

    @BeforeAll
    static void start() {
        server = EmbeddedPostgres.start(ServerOptions.defaults().with("wal_level", "logical"));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void createTable() throws SQLException {
        orders = OutboxTable.on(server);
    }

    @Test
    void offsetLagRetainedLogAndDeadLettersAreShown() throws SQLException, IOException {
        orders.execute(Files.readString(TABLES));
        orders.execute("SELECT pg_create_logical_replication_slot('orders_relay', 'pgoutput')");
        orders.execute("INSERT INTO outbox_cdc_offset VALUES ('orders_relay', 'k', '{\"lsn\":24023128}', now() -"
                + " INTERVAL '90 seconds')");
        orders.execute("INSERT INTO outbox_cdc_dead VALUES ('e-1', 'OrderPaid', null, null, null, '{}', null, now(),"
                + " 'orders_relay', 3, E'java.io.IOException: away\\n  at a.B(C.java:1)', now())");
        CdcReader reader = new CdcReader(orders.application());
        long before = relay(reader).retainedBytes();
        orders.execute("SELECT pg_logical_emit_message(true, 'test', repeat('x', 100000))");
        CdcReader.Relay relay = relay(reader);
        assertThat(relay.name()).isEqualTo("orders_relay");
        assertThat(relay.offset()).isEqualTo("{\"lsn\":24023128}");
        assertThat(relay.offsetAgeSeconds()).isBetween(90.0, 3600.0);
        assertThat(relay.active()).as("nobody reads the slot").isFalse();
        assertThat(relay.slotState()).isEqualTo("reserved");
        assertThat(relay.lagBytes()).isGreaterThan(100_000);
        assertThat(relay.retainedBytes()).isGreaterThan(before + 100_000 - 1);
        assertThat(relay.deadLetters()).isEqualTo(1);
        assertThat(reader.read().deadLetters()).singleElement().satisfies(letter -> {
            assertThat(letter.eventId()).isEqualTo("e-1");
            assertThat(letter.error()).isEqualTo("java.io.IOException: away");
        });
    }

    private static CdcReader.Relay relay(CdcReader reader) throws SQLException {
        return reader.read().relays().get(0);
    }

    @Test
    void withoutTheTablesOfARelayThereIsNone() throws SQLException {
        assertThat(new CdcReader(orders.application()).read().relays()).isEmpty();
    }
}
