package outbox.jdbc;

import java.util.regex.Pattern;

/** Checks names that become part of SQL text, where no parameter can stand. */
public final class TableNames {
    /** The table's name where none is given. */
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
