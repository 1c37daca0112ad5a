package outbox.jdbc.store;

import java.sql.SQLException;
import outbox.jdbc.TestTable;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMySql;

/** The same store on a table of daily partitions. */
class MySqlPartitionedStoreIT extends JdbcStoreContract {
    MySqlPartitionedStoreIT() {
        super(EmbeddedMySql::shared, new MySqlOutboxStore());
    }

    @Override
    TestTable openTable(DatabaseServer server, AbstractJdbcOutboxStore store) throws SQLException {
        return TestTable.partitioned(server, store);
    }

    /** The limit of MySQL 8 is 64 MiB. */
    @Override
    int moreLargeEventsThanAStatementHolds() {
        return 14;
    }
}
