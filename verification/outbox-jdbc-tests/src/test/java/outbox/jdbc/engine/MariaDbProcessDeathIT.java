package outbox.jdbc.engine;

import outbox.testing.server.EmbeddedMariaDb;
import outbox.testing.server.TestDatabase;

class MariaDbProcessDeathIT extends ProcessDeathContract {
    @Override
    SmallHeapContract.Place place() {
        TestDatabase database = EmbeddedMariaDb.shared().freshDatabase();
        return new SmallHeapContract.Place(database.jdbcUrl(), database.username(), database.password());
    }
}
