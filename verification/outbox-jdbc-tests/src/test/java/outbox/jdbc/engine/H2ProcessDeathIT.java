package outbox.jdbc.engine;

import java.nio.file.Path;
import java.sql.SQLException;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The database is in this process; the nodes are others. */
class H2ProcessDeathIT extends ProcessDeathContract {
    @TempDir
    Path directory;

    private Server server;

    @BeforeEach
    void startServer() throws SQLException {
        server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
    }

    @AfterEach
    void stopServer() {
        server.stop();
    }

    @Override
    SmallHeapContract.Place place() {
        return new SmallHeapContract.Place(
                "jdbc:h2:tcp://localhost:" + server.getPort() + "/" + directory.resolve("events"), "sa", "");
    }
}
