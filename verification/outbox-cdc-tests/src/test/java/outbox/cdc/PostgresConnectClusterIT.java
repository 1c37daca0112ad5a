package outbox.cdc;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.EmbeddedServer;
import outbox.testing.server.ServerOptions;

class PostgresConnectClusterIT extends ConnectClusterContract {
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
}
