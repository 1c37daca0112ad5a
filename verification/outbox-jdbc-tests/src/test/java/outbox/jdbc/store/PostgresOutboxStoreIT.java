package outbox.jdbc.store;

import outbox.testing.server.EmbeddedPostgres;

class PostgresOutboxStoreIT extends JdbcStoreContract {
    PostgresOutboxStoreIT() {
        super(EmbeddedPostgres::shared, new PostgresOutboxStore());
    }

    @Override
    boolean transactionsSurviveErrors() {
        return false;
    }
}
