package outbox.jdbc.purge;

import outbox.jdbc.EventTable;
import outbox.jdbc.SqlDialects;
import outbox.jdbc.TableNames;

/** Purges on MySQL, MariaDB and TiDB. Thread-safe. */
public final class MySqlEventPurger extends AbstractJdbcEventPurger {
    private static final String DELETE = "DELETE FROM {table} WHERE {rows} ORDER BY done_at LIMIT ?";

    public MySqlEventPurger() {
        this(TableNames.DEFAULT_TABLE);
    }

    public MySqlEventPurger(String tableName) {
        super(new EventTable(tableName, SqlDialects.MYSQL), DELETE);
    }
}
