package outbox.cdc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static outbox.cdc.CdcFixture.LIMIT;
import static outbox.cdc.CdcFixture.event;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import outbox.jdbc.partition.DailyPartitions;
import outbox.jdbc.store.PostgresOutboxStore;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.EmbeddedServer;
import outbox.testing.server.ServerOptions;

class PostgresCdcRelayIT extends CdcRelayContract {
    private static EmbeddedServer server;

    @BeforeAll
    static void startServer() {
        server = EmbeddedPostgres.start(ServerOptions.defaults().with("wal_level", "logical"));
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    DatabaseServer server() {
        return server;
    }

    @Test
    void aServerWhoseLogHoldsNoRowsIsRefused() throws Exception {
        try (CdcFixture plain = new CdcFixture(EmbeddedPostgres.shared().freshDatabase())) {
            assertThatThrownBy(() -> plain.start(plain.relay()))
                    .isInstanceOf(CdcSetupException.class)
                    .hasMessageContaining("wal_level is replica")
                    .hasMessageContaining("wal_level = logical");
        }
    }

    @Test
    void aUserWithoutReplicationIsToldWhatToGrant() {
        fixture.execute("CREATE ROLE reader LOGIN", "GRANT ALL ON ALL TABLES IN SCHEMA public TO reader");
        assertThatThrownBy(() -> CdcRelay.reading(fixture.database.jdbcUrl(), "reader", "")
                        .listeners((aggregateType, eventType) -> null)
                        .build()
                        .start())
                .isInstanceOf(CdcSetupException.class)
                .hasMessage("user reader may not read the log: ALTER ROLE reader REPLICATION");
        fixture.execute("ALTER ROLE reader REPLICATION");
        assertThatThrownBy(() -> CdcRelay.reading(fixture.database.jdbcUrl(), "reader", "")
                        .listeners((aggregateType, eventType) -> null)
                        .build()
                        .start())
                .isInstanceOf(CdcSetupException.class)
                .hasMessageContaining("CREATE PUBLICATION outbox_cdc FOR TABLE public.outbox_event");
        fixture.execute("DROP OWNED BY reader", "DROP ROLE reader");
    }

    @Test
    void theSlotMovesOnWhileOthersWriteAndNobodyWritesEvents() {
        CdcRelay relay = fixture.start(fixture.relay());
        await().atMost(LIMIT).until(() -> relay.status().state() == CdcStatus.State.RUNNING);
        fixture.execute(fixture.fillTheLog());
        String end = fixture.query("SELECT pg_current_wal_lsn()");
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(fixture.query("SELECT confirmed_flush_lsn >= '" + end
                                + "' FROM pg_replication_slots WHERE slot_name = '" + fixture.name() + "'"))
                        .isEqualTo("t"));
    }

    @Test
    void aPartitionedTableIsReadWhileItsDaysComeAndGo() throws Exception {
        PostgresOutboxStore store = new PostgresOutboxStore();
        fixture.execute("DROP TABLE outbox_event");
        try (Connection conn = fixture.dataSource.getConnection()) {
            store.partitionedSchema().apply(conn);
        }
        DailyPartitions days = store.dailyPartitions().byAgeAlone();
        Instant today = Instant.now();
        days.rotate(fixture.dataSource::getConnection, today, Duration.ofDays(1));
        CdcRelay relay = fixture.start(fixture.relay());
        await().atMost(LIMIT).until(() -> relay.status().state() == CdcStatus.State.RUNNING);
        fixture.write(event("k", 1));
        days.rotate(fixture.dataSource::getConnection, today.plus(Duration.ofDays(4)), Duration.ofDays(1));
        fixture.write(event("k", 2)); // its day was dropped, and the rest takes it

        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(fixture.numbersOf("k")).containsExactly(1, 2));
        assertThat(fixture.query("SELECT string_agg(tableoid::regclass::text, ' ') FROM outbox_event"))
                .isEqualTo("outbox_event_default");
    }
}
