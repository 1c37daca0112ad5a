package outbox.cdc;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMariaDb;
import outbox.testing.server.EmbeddedServer;

/** Compiled here, and run in a module of its own. */
class MariaDbCdcRelayIT extends CdcRelayContract {
    private static EmbeddedServer server;

    @BeforeAll
    static void startServer() {
        server = EmbeddedMariaDb.start(CdcFixture.withRowsInTheLog()
                // By default nothing is purged while no replica is connected.
                .with("slave-connections-needed-for-purge", "0"));
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    DatabaseServer server() {
        return server;
    }
}
