package outbox.jdbc.store;

import outbox.testing.server.EmbeddedMySql;

class MySqlOutboxStoreIT extends JdbcStoreContract {
    MySqlOutboxStoreIT() {
        super(EmbeddedMySql::shared, new MySqlOutboxStore());
    }

    /** The limit of MySQL 8 is 64 MiB. */
    @Override
    int moreLargeEventsThanAStatementHolds() {
        return 14;
    }
}
