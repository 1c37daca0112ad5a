package outbox.cdc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static outbox.cdc.CdcFixture.LIMIT;
import static outbox.cdc.CdcFixture.event;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
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

    /** The server skips it and does not say so. */
    @Test
    void whatIsCommittedWithoutAPublicationComesFromTheTable() {
        CdcRelay relay = running(fixture.relay());
        fixture.write(event("k", 1));
        awaitTaken(1);
        fixture.execute("DROP PUBLICATION " + fixture.name());
        fixture.write(event("k", 2));
        await().atMost(LIMIT).until(() -> fixture.numbersOf("k").contains(2));
        await().atMost(LIMIT).until(() -> relay.status().state() == CdcStatus.State.RUNNING);
        fixture.write(event("k", 3));
        await().atMost(LIMIT).until(() -> fixture.numbersOf("k").contains(3));

        relay.close();
        fixture.write(event("k", 4));
        fixture.execute("DROP PUBLICATION " + fixture.name());
        running(fixture.relay());
        await().atMost(LIMIT).until(() -> fixture.numbersOf("k").contains(4));
        assertThat(fixture.numbersOf("k").stream().distinct()).containsExactly(1, 2, 3, 4);
    }

    @Test
    void aPublicationOfSomethingElseIsRefused() {
        fixture.execute("CREATE PUBLICATION " + fixture.name() + " FOR TABLE outbox_cdc_offset");
        assertThatThrownBy(() -> fixture.start(fixture.relay()))
                .isInstanceOf(CdcSetupException.class)
                .hasMessageContaining("does not carry the inserts of public.outbox_event")
                .hasMessageContaining("DROP PUBLICATION " + fixture.name());
    }

    @Test
    void aSlotOfAnotherDatabaseIsRefused() throws Exception {
        CdcFixture other = new CdcFixture(server.freshDatabase());
        other.execute("SELECT pg_create_logical_replication_slot('" + fixture.name() + "', 'pgoutput')");
        try {
            assertThatThrownBy(() -> fixture.start(fixture.relay()))
                    .isInstanceOf(CdcSetupException.class)
                    .hasMessageContaining(
                            "replication slot " + fixture.name() + " of database " + other.database.name())
                    .hasMessageContaining("give this relay another name");
        } finally {
            other.execute("SELECT pg_drop_replication_slot('" + fixture.name() + "')");
            other.database.drop();
        }
    }

    /** Locks are of a database and slots of the server: whoever waits for the lock must not end the other's reader. */
    @Test
    void aReaderOfAnotherDatabaseIsNoPredecessor() throws Exception {
        try (CdcFixture other = new CdcFixture(server.freshDatabase())) {
            CdcRelay relay = other.start(other.relay().name(fixture.name()));
            await().atMost(LIMIT).until(() -> relay.status().state() == CdcStatus.State.RUNNING);
            LogDatabase log = fixture.relay().logDatabase();
            try (Connection ours = fixture.dataSource.getConnection();
                    Connection theirs = other.dataSource.getConnection()) {
                assertThat(log.isRead(theirs)).isTrue();
                assertThat(log.isRead(ours)).isFalse();
            }
            relay.close();
            relay.forget();
            other.database.drop();
        }
    }

    /** The place in the log is known at once; whether the server sends the log is known when something of it is here. */
    @Test
    void aLogThatTheServerDoesNotSendIsNotRunning() throws Exception {
        CdcRelay first = running(fixture.relay());
        fixture.write(event("k", 1));
        awaitTaken(1);
        first.close();
        await().atMost(LIMIT)
                .until(() -> "0".equals(fixture.query("SELECT count(*) FROM pg_replication_slots WHERE active")));

        List<CdcStatus> seen = new ArrayList<>();
        List<Connection> senders = takeAllSenders();
        CdcRelay relay;
        try {
            relay = fixture.start(fixture.relay());
            await().atMost(LIMIT).until(() -> relay.status().lastError() != null);
            Duration failingFor = Duration.ofSeconds(3);
            await().atMost(LIMIT).pollInterval(Duration.ofMillis(1)).until(() -> {
                seen.add(relay.status());
                return relay.status().lag().compareTo(failingFor) > 0;
            });
        } finally {
            for (Connection each : senders) {
                each.close();
            }
        }
        assertThat(seen).allMatch(status -> status.state() == CdcStatus.State.FAILING && status.lastError() != null);

        await().atMost(LIMIT).until(() -> relay.status().state() == CdcStatus.State.RUNNING);
        assertThat(relay.status().lastError()).isNull();
        fixture.write(event("k", 2));
        await().atMost(LIMIT).until(() -> fixture.numbersOf("k").contains(2));
    }

    /** Sessions for replication that read nothing, as many as the server allows. */
    private List<Connection> takeAllSenders() throws SQLException {
        Properties replication = new Properties();
        replication.setProperty("user", fixture.database.username());
        replication.setProperty("password", fixture.database.password());
        replication.setProperty("replication", "database");
        replication.setProperty("preferQueryMode", "simple");
        replication.setProperty("assumeMinServerVersion", "14");
        List<Connection> taken = new ArrayList<>();
        while (true) {
            try {
                taken.add(DriverManager.getConnection(fixture.database.jdbcUrl(), replication));
            } catch (SQLException e) {
                if ("53300".equals(e.getSQLState())) {
                    return taken;
                }
                throw e;
            }
        }
    }

    @Test
    void theTableIsTheOneThatStatementsWouldFind() {
        fixture.execute(
                "CREATE SCHEMA shop",
                "ALTER TABLE outbox_event SET SCHEMA shop",
                "ALTER DATABASE " + fixture.database.name() + " SET search_path = shop, public");
        fixture.write(event("k", 1));
        fixture.execute("UPDATE outbox_event SET status = 1");
        fixture.write(event("k", 2));
        running(fixture.relay().table("Outbox_Event"));
        fixture.write(event("k", 3));
        awaitTaken(2);

        assertThat(fixture.numbersOf("k")).containsExactly(2, 3);
    }

    @Test
    void aSlotThatTheServerCutOffMeansReadingTheTableAgain() {
        CdcRelay first = running(fixture.relay());
        fixture.write(event("k", 1));
        awaitTaken(1);
        first.close();
        fixture.execute("ALTER SYSTEM SET max_slot_wal_keep_size = '1MB'", "SELECT pg_reload_conf()");
        try {
            await().atMost(LIMIT).until(() -> {
                fixture.execute("SELECT pg_switch_wal()", "CREATE TABLE IF NOT EXISTS filler (n INT)", "CHECKPOINT");
                return "lost"
                        .equals(fixture.query("SELECT wal_status FROM pg_replication_slots WHERE slot_name = '"
                                + fixture.name() + "'"));
            });
            fixture.write(event("k", 2));
            running(fixture.relay());
            awaitTaken(3);
            assertThat(fixture.numbersOf("k")).containsExactly(1, 1, 2);
        } finally {
            fixture.execute("ALTER SYSTEM RESET max_slot_wal_keep_size", "SELECT pg_reload_conf()");
        }
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
