package outbox.cdc;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMySql;
import outbox.testing.server.EmbeddedServer;

class MySqlConnectClusterIT extends ConnectClusterContract {
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

    @Override
    String fileName() {
        return "mysql";
    }
}
