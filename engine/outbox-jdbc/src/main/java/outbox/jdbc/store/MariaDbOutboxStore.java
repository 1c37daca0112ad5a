package outbox.jdbc.store;

import outbox.jdbc.EventTable;
import outbox.jdbc.SqlDialects;
import outbox.jdbc.TableNames;
import outbox.util.JsonCodec;

/** The outbox table on MariaDB, from 10.6 on with {@code SKIP LOCKED}; otherwise as on MySQL. Thread-safe. */
public final class MariaDbOutboxStore extends MySqlOutboxStore {
    public MariaDbOutboxStore() {
        this(TableNames.DEFAULT_TABLE);
    }

    public MariaDbOutboxStore(String tableName) {
        this(tableName, JsonCodec.getDefault());
    }

    public MariaDbOutboxStore(String tableName, JsonCodec codec) {
        super(new EventTable(tableName, SqlDialects.MARIADB), codec);
    }

    @Override
    public MariaDbOutboxStore withTable(String tableName) {
        return new MariaDbOutboxStore(tableName, jsonCodec());
    }

    @Override
    public MariaDbOutboxStore withJsonCodec(JsonCodec codec) {
        return new MariaDbOutboxStore(tableName(), codec);
    }
}
