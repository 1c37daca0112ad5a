package outbox.doctor;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.OutboxSchema;

/** Finds indexes of the shipped schema without an equivalent index on the table, whatever its name. */
final class MissingIndexes {
    static final Check CHECK = new Check("indexes", MissingIndexes::look);

    private MissingIndexes() {}

    private static List<Finding> look(Examination examination) throws SQLException {
        TableSeen table = examination.table();
        List<Finding> findings = new ArrayList<>();
        if (table.isMissing()) {
            return findings;
        }
        boolean keyed = table.indexes().stream()
                .anyMatch(index -> index.unique() && index.columns().contains("event_id"));
        if (!keyed) {
            findings.add(Finding.of(
                    FindingCode.INDEX_MISSING,
                    Severity.CRITICAL,
                    "table " + examination.tableName() + " has no primary key on event_id",
                    "outcomes are written by event_id, so each one reads the whole table; and duplicate ids are"
                            + " possible",
                    "create the primary key",
                    "ALTER TABLE " + examination.tableName() + " ADD PRIMARY KEY (event_id);"));
        }
        for (TableSeen.Index wanted : examination.shipped().indexes()) {
            if (table.indexes().stream().noneMatch(index -> index.serves(wanted))) {
                Finding finding = missing(examination, wanted);
                if (finding != null) {
                    findings.add(finding);
                }
            }
        }
        return findings;
    }

    private static @Nullable Finding missing(Examination examination, TableSeen.Index wanted) throws SQLException {
        String suffix = wanted.name()
                .substring(OutboxSchema.indexName(examination.tableName(), "").length());
        if (suffix.equals("done") && (examination.table().partitioned() || !hasDelivered(examination))) {
            return null; // not needed if rows are purged by partition or deleted on completion
        }
        TableSeen.Index broken = examination.table().indexes().stream()
                .filter(index -> index.name().equalsIgnoreCase(wanted.name()) && !index.usable())
                .findFirst()
                .orElse(null);
        String ddl = String.valueOf(wanted.ddl());
        String create =
                (examination.table().partitioned() ? ddl : examination.catalog().online(ddl)) + ";";
        if (broken != null) {
            return Finding.of(
                    FindingCode.INDEX_INVALID,
                    severity(suffix),
                    "index " + broken.name() + " exists, but is disabled or not completely built",
                    why(suffix) + "; writers still maintain it",
                    "rebuild or enable it",
                    examination.catalog().repair(examination.tableName(), broken, create));
        }
        return Finding.of(
                FindingCode.INDEX_MISSING,
                severity(suffix),
                "no index begins with (" + String.join(", ", wanted.columns()) + ")"
                        + (wanted.statuses() == null ? "" : " and contains the rows with status " + wanted.statuses()),
                why(suffix),
                "create it",
                create);
    }

    private static boolean hasDelivered(Examination examination) throws SQLException {
        return examination.ask().first("SELECT 1 FROM {table} WHERE status = {done} LIMIT 1", row -> 1) != null;
    }

    private static Severity severity(String suffix) {
        return suffix.equals("done") || suffix.equals("dead") ? Severity.WARNING : Severity.CRITICAL;
    }

    private static String why(String suffix) {
        return switch (suffix) {
            case "done" -> "each purge reads the whole table to find old rows";
            case "dead" -> "dead letters are found by reading the whole table";
            case "seq", "order" -> "each ordered claim reads the whole table, on every node";
            default -> "each claim reads the whole table, on every node, every second";
        };
    }
}
