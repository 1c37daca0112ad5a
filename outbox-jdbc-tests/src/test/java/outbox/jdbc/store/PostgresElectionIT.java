package outbox.jdbc.store;

import outbox.testing.server.EmbeddedPostgres;

class PostgresElectionIT extends ElectionContract {
    PostgresElectionIT() {
        super(EmbeddedPostgres::shared, new PostgresOutboxStore());
    }
}
