package outbox.jdbc.engine;

import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

class PostgresProcessDeathIT extends ProcessDeathContract {
    @Override
    SmallHeapContract.Place place() {
        TestDatabase database = EmbeddedPostgres.shared().freshDatabase();
        return new SmallHeapContract.Place(database.jdbcUrl(), database.username(), database.password());
    }
}
