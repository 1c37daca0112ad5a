package outbox.cdc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.cdc.CdcFixture.LIMIT;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.EmbeddedServer;
import outbox.testing.server.ServerOptions;

class PostgresConnectFileIT extends ConnectFileContract {
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

    @Override
    String fileName() {
        return "postgresql";
    }

    @Test
    void theSlotMovesOnWhileOthersWriteAndNobodyWritesEvents() {
        fixture.execute(fixture.fillTheLog());
        String end = fixture.query("SELECT pg_current_wal_lsn()");
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(fixture.query("SELECT confirmed_flush_lsn >= '" + end
                                + "' FROM pg_replication_slots WHERE slot_name = 'outbox_connect'"))
                        .isEqualTo("t"));
        assertThat(records).allSatisfy(record -> assertThat(record.topic()).startsWith("__debezium-heartbeat"));
    }
}
