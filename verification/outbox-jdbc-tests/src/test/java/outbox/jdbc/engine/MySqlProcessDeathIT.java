package outbox.jdbc.engine;

import outbox.testing.server.EmbeddedMySql;
import outbox.testing.server.TestDatabase;

class MySqlProcessDeathIT extends ProcessDeathContract {
    @Override
    SmallHeapContract.Place place() {
        TestDatabase database = EmbeddedMySql.shared().freshDatabase();
        return new SmallHeapContract.Place(database.jdbcUrl(), database.username(), database.password());
    }
}
