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

/** MySQL and MariaDB. */
final class MySqlCatalog extends Catalog {
    private static final String COLUMNS = """
            SELECT COLUMN_NAME, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH, DATETIME_PRECISION, IS_NULLABLE,
              COLUMN_DEFAULT, EXTRA, COLLATION_NAME, CHARACTER_SET_NAME
            FROM information_schema.COLUMNS
            WHERE TABLE_NAME = ? AND TABLE_SCHEMA = COALESCE(?, DATABASE())
            ORDER BY ORDINAL_POSITION
            """;
    private static final String TABLE = "SELECT %s FROM information_schema.TABLES"
            + " WHERE TABLE_NAME = ? AND TABLE_SCHEMA = COALESCE(?, DATABASE())";
    private static final String INDEXES = """
            SELECT INDEX_NAME, COLUMN_NAME, NON_UNIQUE, {switch}
            FROM information_schema.STATISTICS
            WHERE TABLE_NAME = ? AND TABLE_SCHEMA = COALESCE(?, DATABASE())
            ORDER BY INDEX_NAME, SEQ_IN_INDEX
            """;
    private static final String READS = """
            SELECT INDEX_NAME, COUNT_READ FROM performance_schema.table_io_waits_summary_by_index_usage
            WHERE OBJECT_NAME = ? AND OBJECT_SCHEMA = COALESCE(?, DATABASE()) AND INDEX_NAME IS NOT NULL
            """;

    private final String indexSwitch;
    private final String switchedOn;
    private final String switchOn;

    /**
     * @param indexSwitch the column that says whether queries can use an index
     * @param switchedOn its value if they can
     * @param switchOn the keyword that enables an index
     */
    MySqlCatalog(String indexSwitch, String switchedOn, String switchOn) {
        this.indexSwitch = indexSwitch;
        this.switchedOn = switchedOn;
        this.switchOn = switchOn;
    }

    static @Nullable String schemaOf(String table) {
        int dot = table.indexOf('.');
        return dot < 0 ? null : table.substring(0, dot);
    }

    static String nameOf(String table) {
        return table.substring(table.indexOf('.') + 1);
    }

    @Override
    TableSeen table(Ask ask, String table) throws SQLException {
        List<TableSeen.Column> columns = ask.list(
                COLUMNS,
                row -> {
                    String type = row.getString(2).toLowerCase(Locale.ROOT);
                    int digits = row.getInt(4);
                    boolean timed = !row.wasNull();
                    long characters = row.getLong(3);
                    return new TableSeen.Column(
                            row.getString(1).toLowerCase(Locale.ROOT),
                            type,
                            timed ? Integer.valueOf(digits) : type.endsWith("char") ? (Integer) (int) characters : null,
                            row.getString(5).equals("YES"),
                            row.getString(6) != null || !row.getString(7).isEmpty(),
                            row.getString(8),
                            row.getString(9));
                },
                nameOf(table),
                schemaOf(table));
        boolean partitioned = ask.text(TABLE.formatted("CREATE_OPTIONS"), nameOf(table), schemaOf(table))
                .contains("partitioned");
        return new TableSeen(columns, columns.isEmpty() ? List.of() : indexes(ask, table), partitioned);
    }

    private List<TableSeen.Index> indexes(Ask ask, String table) throws SQLException {
        record Part(String index, String column, boolean unique, boolean usable) {}
        List<Part> parts = ask.list(
                INDEXES.replace("{switch}", indexSwitch),
                row -> new Part(
                        row.getString(1),
                        String.valueOf(row.getString(2)).toLowerCase(Locale.ROOT),
                        row.getInt(3) == 0,
                        switchedOn.equals(row.getString(4))),
                nameOf(table),
                schemaOf(table));
        Map<String, Long> reads = reads(ask, table);
        Map<String, List<Part>> byName = new LinkedHashMap<>();
        parts.forEach(part ->
                byName.computeIfAbsent(part.index(), index -> new ArrayList<>()).add(part));
        List<TableSeen.Index> indexes = new ArrayList<>();
        byName.forEach((index, columns) -> indexes.add(new TableSeen.Index(
                index,
                columns.stream().map(Part::column).toList(),
                null,
                columns.get(0).unique(),
                columns.get(0).usable(),
                reads.get(index),
                null)));
        return indexes;
    }

    /** Empty if the performance schema is off or not accessible: then usage is unknown. */
    private static Map<String, Long> reads(Ask ask, String table) {
        Map<String, Long> reads = new LinkedHashMap<>();
        try {
            if (ask.number("SELECT @@performance_schema") == 1) {
                ask.list(READS, row -> reads.put(row.getString(1), row.getLong(2)), nameOf(table), schemaOf(table));
            }
        } catch (SQLException e) {
            reads.clear();
        }
        return reads;
    }

    @Override
    List<Check> checks() {
        return MySqlChecks.ALL;
    }

    @Override
    String dropIndex(String table, String index) {
        return "DROP INDEX " + index + " ON " + table + ";";
    }

    @Override
    String repair(String table, TableSeen.Index broken, String create) {
        return "ALTER TABLE " + table + " ALTER INDEX " + broken.name() + " " + switchOn + ";";
    }

    /** REPEATABLE READ is the default here; claims set their own level. */
    @Override
    Set<Integer> unsuitableLevels() {
        return Set.of(Connection.TRANSACTION_READ_UNCOMMITTED, Connection.TRANSACTION_SERIALIZABLE);
    }

    @Override
    String canonical(String type) {
        return type.equals("longtext") ? "json" : super.canonical(type); // JSON is an alias of it on MariaDB
    }

    @Override
    Evidence transactional(Ask ask, String table) throws SQLException {
        String engine = ask.text(TABLE.formatted("ENGINE"), nameOf(table), schemaOf(table));
        boolean transactional = "InnoDB".equalsIgnoreCase(engine) || "TokuDB".equalsIgnoreCase(engine);
        return new Evidence(
                transactional,
                "the table's engine is " + engine
                        + (transactional ? ", which is transactional" : ", which is not transactional"));
    }
}
