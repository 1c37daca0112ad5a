package outbox.jdbc.purge;

import outbox.jdbc.TableNames;
import outbox.jdbc.TimeColumns;

/** Purges on H2. Thread-safe. */
public final class H2EventPurger extends AbstractJdbcEventPurger {
    public H2EventPurger() {
        this(TableNames.DEFAULT_TABLE);
    }

    public H2EventPurger(String tableName) {
        super(tableName, TimeColumns.UTC_DATE_TIME);
    }
}
