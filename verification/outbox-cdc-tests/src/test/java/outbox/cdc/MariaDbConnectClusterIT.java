package outbox.cdc;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMariaDb;
import outbox.testing.server.EmbeddedServer;

class MariaDbConnectClusterIT extends ConnectClusterContract {
    private static EmbeddedServer server;

    @BeforeAll
    static void startServer() {
        server = EmbeddedMariaDb.start(CdcFixture.withRowsInTheLog());
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
        return "mariadb";
    }
}
