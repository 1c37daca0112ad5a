package outbox.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.util.StoredError;

/** Finds columns that differ from the shipped schema. Wider and additional columns are fine. */
final class SchemaDrift {
    static final Check CHECK = new Check("schema", SchemaDrift::look);

    private static final List<String> WHOLE_NUMBERS = List.of("tinyint", "smallint", "int", "bigint");
    private static final Set<String> LONG_TEXTS = Set.of("text", "mediumtext", "longtext", "json");

    /** Stored errors are truncated at this length. */
    private static final int MAX_ERROR = StoredError.MAX_LENGTH;

    private SchemaDrift() {}

    private static List<Finding> look(Examination examination) {
        ShippedTable shipped = examination.shipped();
        if (examination.table().isMissing()) {
            return List.of(Finding.of(
                    FindingCode.TABLE_MISSING,
                    Severity.CRITICAL,
                    "there is no table " + examination.tableName() + " that this user may see",
                    "no event can be written, and every business transaction that tries fails",
                    "create it: the DDL is in outbox-jdbc and printed by 'outbox schema print'"));
        }
        return columns(examination.catalog(), examination.tableName(), shipped, examination.table());
    }

    /** The columns of an existing table that differ. */
    static List<Finding> columns(Catalog catalog, String table, ShippedTable shipped, TableSeen found) {
        List<Finding> findings = new ArrayList<>();
        for (TableSeen.Column wanted : shipped.columns()) {
            TableSeen.Column seen = found.column(wanted.name());
            Finding finding =
                    seen == null ? missing(table, shipped, wanted) : differs(catalog, table, shipped, wanted, seen);
            if (finding != null) {
                findings.add(finding);
            }
        }
        for (TableSeen.Column seen : found.columns()) {
            boolean known =
                    shipped.columns().stream().anyMatch(wanted -> wanted.name().equals(seen.name()));
            if (!known && !seen.nullable() && !seen.filledIn()) {
                findings.add(Finding.of(
                        FindingCode.COLUMN_DIFFERS,
                        Severity.CRITICAL,
                        columnOf(table, seen) + " is not in the shipped schema, is NOT NULL and has no default",
                        "the writer does not set it, so every insert fails",
                        "make it nullable or add a default"));
            }
        }
        return findings;
    }

    private static Finding missing(String table, ShippedTable shipped, TableSeen.Column wanted) {
        return Finding.of(
                FindingCode.COLUMN_MISSING,
                Severity.CRITICAL,
                "table " + table + " has no column " + wanted.name(),
                "the outbox does not start, or its statements fail",
                "add the column",
                "ALTER TABLE " + table + " ADD COLUMN " + shipped.definition(wanted.name()) + ";");
    }

    private static @Nullable Finding differs(
            Catalog catalog, String table, ShippedTable shipped, TableSeen.Column wanted, TableSeen.Column seen) {
        String column = columnOf(table, wanted) + " is " + catalog.canonical(seen.type()) + length(seen);
        String fix = "change it to the definition of the shipped schema: " + shipped.definition(wanted.name());
        if (!isTypeFine(catalog, wanted, seen)) {
            return Finding.of(
                    FindingCode.COLUMN_DIFFERS,
                    Severity.WARNING,
                    column + ", the shipped schema has " + catalog.canonical(wanted.type()) + length(wanted),
                    "statements are written for the shipped type; times without zone or fraction, and"
                            + " truncated texts, cause wrong order, failed inserts or lost leases",
                    fix);
        }
        if (seen.nullable() && !wanted.nullable()) {
            return Finding.of(
                    FindingCode.COLUMN_DIFFERS,
                    Severity.WARNING,
                    column + " and nullable; it is NOT NULL in the shipped schema",
                    "a row without a value cannot be read and becomes DEAD",
                    fix);
        }
        if (!seen.nullable() && wanted.nullable()) {
            return Finding.of(
                    FindingCode.COLUMN_DIFFERS,
                    Severity.CRITICAL,
                    column + " and NOT NULL; it is nullable in the shipped schema",
                    "events without a value are rejected, and their transactions fail",
                    fix);
        }
        return null;
    }

    private static String columnOf(String table, TableSeen.Column column) {
        return "column " + table + "." + column.name();
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

    /** No length means the maximum length, or for times the maximum precision. */
    private static boolean isLongEnough(TableSeen.Column wanted, TableSeen.Column seen) {
        return wanted.length() == null || seen.length() == null || seen.length() >= wanted.length();
    }
}
