package outbox.jdbc.store;

import java.sql.SQLException;
import outbox.jdbc.TestTable;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedPostgres;

/** The same store on a table of daily partitions. */
class PostgresPartitionedStoreIT extends JdbcStoreContract {
    PostgresPartitionedStoreIT() {
        super(EmbeddedPostgres::shared, new PostgresOutboxStore());
    }

    @Override
    TestTable openTable(DatabaseServer server, AbstractJdbcOutboxStore store) throws SQLException {
        return TestTable.partitioned(server, store);
    }

    @Override
    boolean transactionsSurviveErrors() {
        return false;
    }
}
