package outbox.doctor;

import java.sql.SQLException;
import java.util.List;

/** Finds additional indexes that were never read although many rows were written. */
final class UnusedIndexes {
    static final Check CHECK = new Check("unused indexes", UnusedIndexes::look);

    private UnusedIndexes() {}

    private static List<Finding> look(Examination examination) throws SQLException {
        List<TableSeen.Index> shipped = examination.shipped().indexes();
        List<TableSeen.Index> suspects = examination.table().indexes().stream()
                .filter(index -> !index.unique() && index.reads() != null && index.reads() == 0)
                .filter(index -> shipped.stream().noneMatch(index::serves))
                .filter(index -> !SearchIndex.isOne(index)) // read when an operator searches, which may be rare
                .toList();
        if (suspects.isEmpty() || !isWritten(examination)) {
            return List.of();
        }
        return suspects.stream()
                .map(index -> Finding.of(
                        FindingCode.INDEX_UNUSED,
                        Severity.WARNING,
                        "index " + index.name() + " on (" + String.join(", ", index.columns())
                                + ") has not been read since the statistics were reset",
                        "every insert and every outcome must update it, and on PostgreSQL it may prevent claims from being"
                                + " heap-only updates",
                        "drop it, unless a rare report needs it",
                        examination.catalog().dropIndex(examination.tableName(), index.name())))
                .toList();
    }

    /** Usage statistics of a small table prove nothing. */
    private static boolean isWritten(Examination examination) throws SQLException {
        long limit = examination.limits().unusedIndexRows();
        return examination.ask().number("SELECT COUNT(*) FROM (SELECT 1 FROM {table} LIMIT ?) counted", (int)
                        Math.min(limit, 100_000))
                >= Math.min(limit, 100_000);
    }
}
