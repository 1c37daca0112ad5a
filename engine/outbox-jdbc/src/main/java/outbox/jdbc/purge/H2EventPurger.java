package outbox.jdbc.purge;

import outbox.jdbc.EventTable;
import outbox.jdbc.SqlDialects;
import outbox.jdbc.TableNames;

/** Purges on H2. Thread-safe. */
public final class H2EventPurger extends AbstractJdbcEventPurger {
    /** Without ORDER BY, which H2 does not support here; the index range is ordered. */
    private static final String DELETE = "DELETE FROM {table} WHERE {rows} FETCH FIRST ? ROWS ONLY";

    public H2EventPurger() {
        this(TableNames.DEFAULT_TABLE);
    }

    public H2EventPurger(String tableName) {
        super(new EventTable(tableName, SqlDialects.H2), DELETE);
    }
}
