package outbox.jdbc.engine;

import outbox.testing.server.EmbeddedMariaDb;
import outbox.testing.server.TestDatabase;

class MariaDbSmallHeapIT extends SmallHeapContract {
    @Override
    Place place() {
        TestDatabase database = EmbeddedMariaDb.shared().freshDatabase();
        return new Place(database.jdbcUrl(), database.username(), database.password());
    }
}
