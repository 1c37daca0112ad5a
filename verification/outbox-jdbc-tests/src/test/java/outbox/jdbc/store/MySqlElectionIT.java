package outbox.jdbc.store;

import outbox.testing.server.EmbeddedMySql;

class MySqlElectionIT extends ElectionContract {
    MySqlElectionIT() {
        super(EmbeddedMySql::shared, new MySqlOutboxStore());
    }
}
