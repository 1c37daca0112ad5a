package outbox.jdbc.archive;

import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.EventTable;
import outbox.jdbc.TimeColumns;
import outbox.util.JsonCodec;

/** A row as one line of JSON: every column by name. */
final class RowAsJson {
    private RowAsJson() {}

    static String line(ResultSet row) throws SQLException {
        ResultSetMetaData columns = row.getMetaData();
        StringBuilder line = new StringBuilder(512).append('{');
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            if (i > 1) {
                line.append(',');
            }
            String name = columns.getColumnLabel(i).toLowerCase(Locale.ROOT);
            line.append(field(name, value(row, i, name, columns)));
        }
        return line.append('}').toString();
    }

    /** The text of a column, or of a value that is already JSON. */
    private static @Nullable Object value(ResultSet row, int column, String name, ResultSetMetaData columns)
            throws SQLException {
        if (row.getObject(column) == null) {
            return null;
        }
        if (EventTable.JSON_COLUMNS.contains(name)) {
            return new Json(row.getString(column));
        }
        return switch (columns.getColumnType(column)) {
            case Types.TIMESTAMP, Types.TIMESTAMP_WITH_TIMEZONE ->
                times(columns.getColumnTypeName(column)).read(row, column).toString();
            case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT, Types.NUMERIC, Types.DECIMAL -> {
                BigDecimal number = row.getBigDecimal(column);
                yield new Json(number.toPlainString());
            }
            default -> row.getString(column);
        };
    }

    private static TimeColumns times(String typeName) {
        String type = typeName.toLowerCase(Locale.ROOT);
        return type.equals("timestamptz") || type.contains("with time zone")
                ? TimeColumns.WITH_TIME_ZONE
                : TimeColumns.UTC_DATE_TIME;
    }

    /** Line breaks in JSON occur only between tokens: they are escaped inside strings. */
    private record Json(String text) {
        @Override
        public String toString() {
            return text.replace('\n', ' ').replace('\r', ' ');
        }
    }

    private static String field(String name, @Nullable Object value) {
        if (value instanceof String text) {
            String object = String.valueOf(JsonCodec.getDefault().toJson(Map.of(name, text)));
            return object.substring(1, object.length() - 1);
        }
        return '"' + name + "\":" + value;
    }
}
