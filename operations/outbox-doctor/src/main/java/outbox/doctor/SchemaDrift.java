package outbox.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.util.StoredError;

/** Columns that are not as the shipped schema has them. Wider is fine, and so are columns more. */
final class SchemaDrift {
    static final Check CHECK = new Check("schema", SchemaDrift::look);

    private static final List<String> WHOLE_NUMBERS = List.of("tinyint", "smallint", "int", "bigint");
    private static final Set<String> LONG_TEXTS = Set.of("text", "mediumtext", "longtext", "json");

    /** Stored errors are cut at this length. */
    private static final int MAX_ERROR = StoredError.MAX_LENGTH;

    private SchemaDrift() {}

    private static List<Finding> look(Examination examination) {
        ShippedTable shipped = examination.shipped();
        if (examination.table().isMissing()) {
            return List.of(Finding.of(
                    "table-missing",
                    Severity.CRITICAL,
                    "there is no table " + examination.tableName() + " that this user may see",
                    "nothing can be written, and every business transaction that tries to fails",
                    "create it: the DDL is in outbox-jdbc and printed by 'outbox schema print'"));
        }
        List<Finding> findings = new ArrayList<>();
        for (TableSeen.Column wanted : shipped.columns()) {
            TableSeen.Column seen = examination.table().column(wanted.name());
            Finding finding =
                    seen == null ? missing(examination, shipped, wanted) : differs(examination, shipped, wanted, seen);
            if (finding != null) {
                findings.add(finding);
            }
        }
        for (TableSeen.Column seen : examination.table().columns()) {
            boolean known =
                    shipped.columns().stream().anyMatch(wanted -> wanted.name().equals(seen.name()));
            if (!known && !seen.nullable() && !seen.filledIn()) {
                findings.add(Finding.of(
                        "column-differs",
                        Severity.CRITICAL,
                        "column " + seen.name() + " is not in the shipped schema, must not be null and has no default",
                        "the writer does not know it, so every insert fails",
                        "let it be null or give it a default"));
            }
        }
        return findings;
    }

    private static Finding missing(Examination examination, ShippedTable shipped, TableSeen.Column wanted) {
        return Finding.of(
                "column-missing",
                Severity.CRITICAL,
                "table " + examination.tableName() + " has no column " + wanted.name(),
                "the outbox refuses to start on it",
                "add the column",
                "ALTER TABLE " + examination.tableName() + " ADD COLUMN " + shipped.definition(wanted.name()) + ";");
    }

    private static @Nullable Finding differs(
            Examination examination, ShippedTable shipped, TableSeen.Column wanted, TableSeen.Column seen) {
        Catalog catalog = examination.catalog();
        String column = "column " + wanted.name() + " is " + catalog.canonical(seen.type()) + length(seen);
        String fix = "change it to what the shipped schema has: " + shipped.definition(wanted.name());
        if (!isTypeFine(catalog, wanted, seen)) {
            return Finding.of(
                    "column-differs",
                    Severity.WARNING,
                    column + ", the shipped schema has " + catalog.canonical(wanted.type()) + length(wanted),
                    "statements were written and measured for the shipped type; times without zone or fraction, and"
                            + " texts that are cut, end in wrong order, refused inserts or lost leases",
                    fix);
        }
        if (seen.nullable() && !wanted.nullable()) {
            return Finding.of(
                    "column-differs",
                    Severity.WARNING,
                    column + " and may be null, in the shipped schema it must not",
                    "a row without it cannot be read, and ends DEAD",
                    fix);
        }
        if (!seen.nullable() && wanted.nullable()) {
            return Finding.of(
                    "column-differs",
                    Severity.CRITICAL,
                    column + " and must not be null, in the shipped schema it may",
                    "events without it are refused, and with them the transactions they belong to",
                    fix);
        }
        return null;
    }

    private static String length(TableSeen.Column column) {
        return column.length() == null ? "" : "(" + column.length() + ")";
    }

    private static boolean isTypeFine(Catalog catalog, TableSeen.Column wanted, TableSeen.Column seen) {
        String wantedType = catalog.canonical(wanted.type());
        String seenType = catalog.canonical(seen.type());
        if (WHOLE_NUMBERS.contains(wantedType)) {
            return wanted.name().equals("status")
                    ? WHOLE_NUMBERS.contains(seenType)
                    : WHOLE_NUMBERS.indexOf(seenType) >= WHOLE_NUMBERS.indexOf(wantedType);
        }
        if (wantedType.equals("text")) {
            return LONG_TEXTS.contains(seenType)
                    || (seenType.equals("varchar") && (seen.length() == null || seen.length() >= MAX_ERROR));
        }
        return seenType.equals(wantedType) && isLongEnough(wanted, seen);
    }

    /** No length at all means as long as can be, for a time as exact as can be. */
    private static boolean isLongEnough(TableSeen.Column wanted, TableSeen.Column seen) {
        return wanted.length() == null || seen.length() == null || seen.length() >= wanted.length();
    }
}
