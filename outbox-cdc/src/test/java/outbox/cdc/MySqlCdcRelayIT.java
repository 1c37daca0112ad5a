package outbox.cdc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
