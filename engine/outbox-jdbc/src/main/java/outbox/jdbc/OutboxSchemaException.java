package outbox.jdbc;

import java.util.Set;

/** The table or some columns are missing. The message says which and how to add them. */
public final class OutboxSchemaException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final String table;
    private final Set<String> missingColumns;

    /** @param missingColumns empty if the whole table is missing */
    public OutboxSchemaException(String message, String table, Set<String> missingColumns) {
        super(message);
        this.table = table;
        this.missingColumns = Set.copyOf(missingColumns);
    }

    public String table() {
        return table;
    }

    /** Empty if the whole table is missing. */
    public Set<String> missingColumns() {
        return missingColumns;
    }
}
