package outbox.jdbc.engine;

import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

class PostgresSmallHeapIT extends SmallHeapContract {
    @Override
    Place place() {
        TestDatabase database = EmbeddedPostgres.shared().freshDatabase();
        return new Place(database.jdbcUrl(), database.username(), database.password());
    }
}
