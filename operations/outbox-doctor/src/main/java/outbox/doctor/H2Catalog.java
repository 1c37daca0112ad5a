package outbox.doctor;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** H2, which has no usage statistics. */
final class H2Catalog extends Catalog {
    private static final String COLUMNS = """
            SELECT COLUMN_NAME, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH, DATETIME_PRECISION, IS_NULLABLE,
              COLUMN_DEFAULT IS NOT NULL OR IS_IDENTITY = 'YES' OR IS_GENERATED = 'ALWAYS'
            FROM INFORMATION_SCHEMA.COLUMNS
            WHERE UPPER(TABLE_NAME) = ? AND UPPER(TABLE_SCHEMA) = COALESCE(?, UPPER(CURRENT_SCHEMA))
            ORDER BY ORDINAL_POSITION
            """;
    private static final String INDEXES = """
            SELECT INDEX_NAME, COLUMN_NAME, IS_UNIQUE FROM INFORMATION_SCHEMA.INDEX_COLUMNS
            WHERE UPPER(TABLE_NAME) = ? AND UPPER(TABLE_SCHEMA) = COALESCE(?, UPPER(CURRENT_SCHEMA))
            ORDER BY INDEX_NAME, ORDINAL_POSITION
            """;

    @Override
    TableSeen table(Ask ask, String table) throws SQLException {
        int dot = table.indexOf('.');
        String schema = dot < 0 ? null : table.substring(0, dot).toUpperCase(Locale.ROOT);
        String name = table.substring(dot + 1).toUpperCase(Locale.ROOT);
        List<TableSeen.Column> columns = ask.list(
                COLUMNS,
                row -> {
                    String type = row.getString(2).toLowerCase(Locale.ROOT);
                    int digits = row.getInt(4);
                    boolean timed = !row.wasNull();
                    Integer length = timed ? Integer.valueOf(digits) : lengthOf(type, row.getLong(3));
                    return new TableSeen.Column(
                            row.getString(1).toLowerCase(Locale.ROOT),
                            type,
                            length,
                            row.getString(5).equals("YES"),
                            row.getBoolean(6),
                            null,
                            null);
                },
                name,
                schema);
        return new TableSeen(columns, indexes(ask, name, schema), false);
    }

    private static @Nullable Integer lengthOf(String type, long characters) {
        return type.equals("character varying") ? Integer.valueOf((int) characters) : null;
    }

    private static List<TableSeen.Index> indexes(Ask ask, String name, @Nullable String schema) throws SQLException {
        record Part(String index, String column, boolean unique) {}
        List<Part> parts = ask.list(
                INDEXES,
                row -> new Part(row.getString(1), row.getString(2).toLowerCase(Locale.ROOT), row.getBoolean(3)),
                name,
                schema);
        Map<String, List<Part>> byName = new LinkedHashMap<>();
        parts.forEach(part ->
                byName.computeIfAbsent(part.index(), index -> new ArrayList<>()).add(part));
        List<TableSeen.Index> indexes = new ArrayList<>();
        byName.forEach((index, columns) -> indexes.add(new TableSeen.Index(
                index,
                columns.stream().map(Part::column).toList(),
                null,
                columns.get(0).unique(),
                true,
                null,
                null)));
        return indexes;
    }

    @Override
    Set<Integer> unsuitableLevels() {
        return Set.of(
                Connection.TRANSACTION_READ_UNCOMMITTED,
                Connection.TRANSACTION_REPEATABLE_READ,
                Connection.TRANSACTION_SERIALIZABLE);
    }

    @Override
    List<Check> checks() {
        return List.of();
    }

    @Override
    Evidence transactional(Ask ask, String table) {
        return new Evidence(true, "every H2 table is transactional");
    }
}
