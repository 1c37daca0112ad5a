package outbox.jdbc.engine;

import outbox.jdbc.store.PostgresOutboxStore;
import outbox.testing.server.EmbeddedPostgres;

class PostgresDeadLetterListenerIT extends DeadLetterListenerContract {
    PostgresDeadLetterListenerIT() {
        super(EmbeddedPostgres::shared, new PostgresOutboxStore());
    }
}
