package outbox.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The indexes of a table, compared by columns, not by name. */
final class TableIndexes {
    private static final Pattern CREATE = Pattern.compile(
            "CREATE (?:UNIQUE )?INDEX (\\w+) ON ([\\w.]+) \\(([^)]*)\\)(?: WHERE (.*))?", Pattern.DOTALL);

    private TableIndexes() {}

    /**
     * An index.
     *
     * @param columns in lower case
     * @param filter the condition of a partial index
     */
    private record Index(List<String> columns, @Nullable String filter) {
        boolean serves(Index wanted) {
            return columns.size() >= wanted.columns.size()
                    && columns.subList(0, wanted.columns.size()).equals(wanted.columns)
                    && (filter == null
                            || (wanted.filter != null && numbers(filter).containsAll(numbers(wanted.filter))));
        }

        /** Conditions of shipped indexes list values of {@code status}; each database reports them differently. */
        private static Set<String> numbers(String filter) {
            Set<String> numbers = new TreeSet<>();
            Matcher number = Pattern.compile("\\b\\d+\\b").matcher(filter);
            while (number.find()) {
                numbers.add(number.group());
            }
            return numbers;
        }
    }

    /** The statements that create an index without an equivalent on the table. */
    static List<String> missing(Connection conn, List<String> statements) throws SQLException {
        List<String> missing = new ArrayList<>();
        Map<String, List<Index>> present = new LinkedHashMap<>();
        for (String statement : statements) {
            Matcher create = CREATE.matcher(statement);
            if (create.matches()) {
                String table = create.group(2);
                if (!present.containsKey(table)) {
                    present.put(table, indexes(conn, table));
                }
                Index wanted = new Index(
                        Arrays.stream(create.group(3).split(",", -1))
                                .map(column -> column.strip().toLowerCase(Locale.ROOT))
                                .toList(),
                        create.group(4));
                if (present.get(table).stream().noneMatch(index -> index.serves(wanted))) {
                    missing.add(statement);
                }
            }
        }
        return missing;
    }

    /** Without a schema in its name the table is in the current one, or else in another of the search path. */
    private static List<Index> indexes(Connection conn, String table) throws SQLException {
        List<Index> indexes = indexes(conn, table, conn.getSchema());
        return indexes.isEmpty() ? indexes(conn, table, null) : indexes;
    }

    private static List<Index> indexes(Connection conn, String table, @Nullable String currentSchema)
            throws SQLException {
        DatabaseMetaData metaData = conn.getMetaData();
        int dot = table.indexOf('.');
        String schema = dot < 0 ? currentSchema : stored(metaData, table.substring(0, dot));
        boolean schemaIsCatalog = !metaData.supportsSchemasInTableDefinitions();
        Map<String, List<String>> columns = new LinkedHashMap<>();
        Map<String, @Nullable String> filters = new LinkedHashMap<>();
        try (ResultSet row = metaData.getIndexInfo(
                schemaIsCatalog && dot >= 0 ? schema : conn.getCatalog(),
                schemaIsCatalog ? null : schema,
                stored(metaData, table.substring(dot + 1)),
                false,
                true)) {
            while (row.next()) {
                String column = row.getString("COLUMN_NAME");
                if (column != null) {
                    String name = row.getString("INDEX_NAME");
                    columns.computeIfAbsent(name, any -> new ArrayList<>())
                            .add(column.replace("\"", "").toLowerCase(Locale.ROOT));
                    filters.put(name, row.getString("FILTER_CONDITION"));
                }
            }
        }
        List<Index> indexes = new ArrayList<>();
        columns.forEach((name, of) -> indexes.add(new Index(of, filters.get(name))));
        return indexes;
    }

    /** The name of an unquoted identifier in the catalog. */
    private static String stored(DatabaseMetaData metaData, String name) throws SQLException {
        if (metaData.storesUpperCaseIdentifiers()) {
            return name.toUpperCase(Locale.ROOT);
        }
        return metaData.storesLowerCaseIdentifiers() ? name.toLowerCase(Locale.ROOT) : name;
    }
}
