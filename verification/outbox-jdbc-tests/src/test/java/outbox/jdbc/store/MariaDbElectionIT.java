package outbox.jdbc.store;

import outbox.testing.server.EmbeddedMariaDb;

class MariaDbElectionIT extends ElectionContract {
    MariaDbElectionIT() {
        super(EmbeddedMariaDb::shared, new MariaDbOutboxStore());
    }
}
