package outbox.jdbc.purge;

import outbox.jdbc.TableNames;
import outbox.jdbc.TimeColumns;

/** Purges on PostgreSQL. Thread-safe. */
public final class PostgresEventPurger extends AbstractJdbcEventPurger {
    public PostgresEventPurger() {
        this(TableNames.DEFAULT_TABLE);
    }

    public PostgresEventPurger(String tableName) {
        super(tableName, TimeColumns.WITH_TIME_ZONE);
    }
}
