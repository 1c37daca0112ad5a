package outbox.jdbc.store;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.io.TempDir;
import outbox.testing.server.EmbeddedH2;

class H2OutboxStoreTest extends JdbcStoreContract {
    @TempDir
    static Path directory;

    H2OutboxStoreTest() {
        super(EmbeddedH2::shared, new H2OutboxStore());
    }

    /** H2 takes a read-only connection for a hint; a whole database can be opened for reading. */
    @Override
    Connection readOnly() throws SQLException {
        String url = "jdbc:h2:file:" + directory.resolve("read-only");
        try (Connection conn = DriverManager.getConnection(url)) {
            if (!JdbcOutboxStores.hasTable(conn, "outbox_event")) {
                new H2OutboxStore().schema().apply(conn);
            }
        }
        return DriverManager.getConnection(url + ";ACCESS_MODE_DATA=r");
    }
}
