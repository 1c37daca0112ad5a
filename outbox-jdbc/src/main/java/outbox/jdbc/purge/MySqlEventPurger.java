package outbox.jdbc.purge;

import outbox.jdbc.TableNames;
import outbox.jdbc.TimeColumns;

/** Purges on MySQL, MariaDB and TiDB. Thread-safe. */
public final class MySqlEventPurger extends AbstractJdbcEventPurger {
    private static final String PURGE = """
            DELETE FROM {table}
            WHERE status IN (1, 3) AND COALESCE(done_at, created_at) < ?
            ORDER BY created_at LIMIT ?
            """;

    public MySqlEventPurger() {
        this(TableNames.DEFAULT_TABLE);
    }

    public MySqlEventPurger(String tableName) {
        super(tableName, TimeColumns.UTC_DATE_TIME, PURGE);
    }
}
