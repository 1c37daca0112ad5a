package outbox.jdbc;

import java.util.regex.Pattern;

/** Validates names that become part of SQL text. */
public final class TableNames {
    /** Default name of the table. */
    public static final String DEFAULT_TABLE = "outbox_event";

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,62}(\\.[A-Za-z_][A-Za-z0-9_]{0,62})?");

    private TableNames() {}

    /**
     * Accepts {@code table} and {@code schema.table} of letters, digits and underscores, at most 63 characters each.
     *
     * @return the name
     * @throws IllegalArgumentException for anything else; the message shows the value
     */
    public static String validate(String tableName) {
        if (tableName == null || !NAME.matcher(tableName).matches()) {
            throw new IllegalArgumentException("not a table name: '" + tableName
                    + "'; allowed are table and schema.table, of letters, digits and underscores,"
                    + " not starting with a digit, at most 63 characters each");
        }
        return tableName;
    }
}
