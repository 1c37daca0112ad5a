package outbox.jdbc.engine;

import outbox.testing.server.EmbeddedMySql;
import outbox.testing.server.TestDatabase;

class MySqlSmallHeapIT extends SmallHeapContract {
    @Override
    Place place() {
        TestDatabase database = EmbeddedMySql.shared().freshDatabase();
        return new Place(database.jdbcUrl(), database.username(), database.password());
    }
}
