package outbox.doctor;

import java.sql.SQLException;
import java.util.List;

/** Offers the index with which the control center finds the events of an aggregate in a large table. */
final class SearchIndex {
    static final Check CHECK = new Check("search index", SearchIndex::look);

    private static final int LARGE = 10_000;
    private static final List<String> COLUMNS = List.of("aggregate_id", "event_id");

    private SearchIndex() {}

    private static List<Finding> look(Examination examination) throws SQLException {
        String table = examination.tableName();
        String name = table.substring(table.indexOf('.') + 1) + "_aggregate";
        TableSeen.Index wanted = new TableSeen.Index(
                name,
                COLUMNS,
                null,
                false,
                true,
                null,
                "CREATE INDEX " + name + " ON " + table + " (" + String.join(", ", COLUMNS) + ")");
        if (examination.table().indexes().stream().anyMatch(index -> index.serves(wanted)) || !isLarge(examination)) {
            return List.of();
        }
        String ddl = String.valueOf(wanted.ddl());
        return List.of(Finding.of(
                FindingCode.INDEX_OPTIONAL,
                Severity.INFO,
                "no index begins with (" + String.join(", ", COLUMNS) + ")",
                "without it, a search for the events of an aggregate in the control center reads the table in steps;"
                        + " delivery does not need it, and each insert has to update it",
                "create it if operators search by aggregate",
                (examination.table().partitioned() ? ddl : examination.catalog().online(ddl)) + ";"));
    }

    static boolean isOne(TableSeen.Index index) {
        return index.columns().equals(COLUMNS);
    }

    private static boolean isLarge(Examination examination) throws SQLException {
        return examination.ask().number("SELECT COUNT(*) FROM (SELECT 1 FROM {table} LIMIT ?) counted", LARGE) >= LARGE;
    }
}
