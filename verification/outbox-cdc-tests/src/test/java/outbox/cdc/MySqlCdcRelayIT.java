package outbox.cdc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static outbox.cdc.CdcFixture.LIMIT;
import static outbox.cdc.CdcFixture.event;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMySql;
import outbox.testing.server.EmbeddedServer;

class MySqlCdcRelayIT extends CdcRelayContract {
    private static EmbeddedServer server;

    @BeforeAll
    static void startServer() {
        server = EmbeddedMySql.start(CdcFixture.withRowsInTheLog());
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
    void aLogWithoutWholeRowsIsRefused() {
        fixture.execute("SET GLOBAL binlog_format = 'STATEMENT'");
        assertThatThrownBy(() -> fixture.start(fixture.relay()))
                .isInstanceOf(CdcSetupException.class)
                .hasMessageContaining("binlog_format is STATEMENT");
        fixture.execute("SET GLOBAL binlog_format = 'ROW'", "SET GLOBAL binlog_row_image = 'MINIMAL'");
        assertThatThrownBy(() -> fixture.start(fixture.relay()))
                .isInstanceOf(CdcSetupException.class)
                .hasMessageContaining("binlog_row_image is MINIMAL");
        fixture.execute("SET GLOBAL binlog_row_image = 'FULL'");
    }

    @Test
    void aLostPlaceIsKnownByItsTransactionsWhereTheServerCountsThem() {
        gtidMode("OFF_PERMISSIVE", "ON_PERMISSIVE", "ON");
        fixture.execute("CREATE TABLE counted (n INT)"); // Debezium needs a first one
        try {
            aRelayThatReadsFromNowStopsAtALostPlaceAndSaysWhatToDo();
            assertThat(fixture.query("SELECT offset_value FROM outbox_cdc_offset"))
                    .contains("gtids");
        } finally {
            gtidMode("ON_PERMISSIVE", "OFF_PERMISSIVE", "OFF");
        }
    }

    private void gtidMode(String... steps) {
        fixture.execute("SET GLOBAL enforce_gtid_consistency = ON");
        for (String step : steps) {
            fixture.execute("SET GLOBAL gtid_mode = " + step);
        }
    }

    /** A row behind the change could not be read after the next start. */
    @Test
    void aChangeOfTheTableThatCanNotBeWrittenDownIsNotPassed() {
        CdcRelay relay = running(fixture.relay());
        fixture.execute(
                "RENAME TABLE outbox_cdc_history TO hidden",
                "ALTER TABLE outbox_event ADD COLUMN note VARCHAR(20) DEFAULT 'none' FIRST");
        await().atMost(LIMIT).until(() -> relay.status().state() == CdcStatus.State.FAILING);
        fixture.execute("RENAME TABLE hidden TO outbox_cdc_history");
        fixture.write(event("k", 1));
        awaitTaken(1);
        relay.close();
        fixture.write(event("k", 2));
        running(fixture.relay());
        awaitTaken(2);

        assertThat(fixture.numbersOf("k")).containsExactly(1, 2);
    }

    @Test
    void relaysOfTwoDatabasesInOneProcessMayHaveTheSameName() throws Exception {
        running(fixture.relay());
        try (CdcFixture other = new CdcFixture(server().freshDatabase())) {
            CdcRelay namesake = other.start(other.relay().name(fixture.name()));
            await().atMost(LIMIT).until(() -> namesake.status().state() == CdcStatus.State.RUNNING);
            other.write(event("other", 2));
            fixture.write(event("k", 1));
            awaitTaken(1);
            await().atMost(LIMIT).until(() -> !other.taken.isEmpty());

            assertThat(fixture.numbersOf("k")).containsExactly(1);
            assertThat(other.numbersOf("other")).containsExactly(2);
            other.close();
            other.database.drop();
        }
    }

    @Test
    void aUserWithoutReplicationIsToldWhatToGrant() {
        fixture.execute(
                "CREATE USER 'reader'@'%' IDENTIFIED BY 'reader'",
                "GRANT SELECT ON " + fixture.database.name() + ".* TO 'reader'@'%'");
        assertThatThrownBy(() -> CdcRelay.reading(fixture.database.jdbcUrl(), "reader", "reader")
                        .listeners((aggregateType, eventType) -> null)
                        .build()
                        .start())
                .isInstanceOf(CdcSetupException.class)
                .hasMessageContaining("user reader@% may not read the log: GRANT")
                .hasMessageContaining("REPLICATION SLAVE");
        fixture.execute("DROP USER 'reader'@'%'");
    }
}
