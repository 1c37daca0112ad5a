package outbox.jdbc.store;

import java.sql.SQLException;
import outbox.jdbc.TestTable;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMariaDb;

/** The same store on a table of daily partitions. */
class MariaDbPartitionedStoreIT extends JdbcStoreContract {
    MariaDbPartitionedStoreIT() {
        super(EmbeddedMariaDb::shared, new MariaDbOutboxStore());
    }

    @Override
    TestTable openTable(DatabaseServer server, AbstractJdbcOutboxStore store) throws SQLException {
        return TestTable.partitioned(server, store);
    }
}
