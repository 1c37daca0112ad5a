package outbox.jdbc.purge;

import outbox.jdbc.TableNames;
import outbox.jdbc.TimeColumns;

/** Purges on MySQL, MariaDB and TiDB. Thread-safe. */
public final class MySqlEventPurger extends AbstractJdbcEventPurger {
    private static final String DELETE = "DELETE FROM {table} WHERE {rows} ORDER BY done_at LIMIT ?";

    public MySqlEventPurger() {
        this(TableNames.DEFAULT_TABLE);
    }

    public MySqlEventPurger(String tableName) {
        super(tableName, TimeColumns.UTC_DATE_TIME, DELETE);
    }
}
