package outbox.doctor;

import java.sql.SQLException;
import java.util.List;

/** Indexes that are not shipped and were never read, while many rows were written. */
final class UnusedIndexes {
    static final Check CHECK = new Check("unused indexes", UnusedIndexes::look);

    private UnusedIndexes() {}

    private static List<Finding> look(Examination examination) throws SQLException {
        List<TableSeen.Index> shipped = examination.shipped().indexes();
        List<TableSeen.Index> suspects = examination.table().indexes().stream()
                .filter(index -> !index.unique() && index.reads() != null && index.reads() == 0)
                .filter(index -> shipped.stream().noneMatch(index::serves))
                .toList();
        if (suspects.isEmpty() || !isWritten(examination)) {
            return List.of();
        }
        return suspects.stream()
                .map(index -> Finding.of(
                        "index-unused",
                        Severity.WARNING,
                        "index " + index.name() + " on (" + String.join(", ", index.columns())
                                + ") was never read since the statistics began",
                        "every insert and every outcome writes it too, and on PostgreSQL it may keep claims from being"
                                + " updates in place",
                        "drop it, unless a report that runs seldom needs it",
                        examination.catalog().dropIndex(examination.tableName(), index.name())))
                .toList();
    }

    /** A table that is hardly used proves nothing about its indexes. */
    private static boolean isWritten(Examination examination) throws SQLException {
        long limit = examination.limits().unusedIndexRows();
        return examination.ask().number("SELECT COUNT(*) FROM (SELECT 1 FROM {table} LIMIT ?) counted", (int)
                        Math.min(limit, 100_000))
                >= Math.min(limit, 100_000);
    }
}
