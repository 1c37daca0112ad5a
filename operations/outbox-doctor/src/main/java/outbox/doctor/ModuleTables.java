package outbox.doctor;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import outbox.jdbc.OutboxSchema;

/** Compares the tables of other modules with their DDL. A module without any table is not used. */
final class ModuleTables {
    static final Check CHECK = new Check("tables of modules", ModuleTables::look);

    private static final String PAYLOADS = "payloads";

    private ModuleTables() {}

    /** @param required whether tables are missing if there are none at all */
    record Module(String name, List<String> statements, boolean required) {}

    private static List<Finding> look(Examination examination) throws SQLException {
        List<Finding> findings = new ArrayList<>();
        for (Module module : examination.doctor().modules) {
            findings.addAll(compare(examination, module));
        }
        if (examination.doctor().modules.stream()
                .noneMatch(module -> module.name().equals(PAYLOADS))) {
            findings.addAll(compare(examination, payloads(examination)));
        }
        return findings;
    }

    /** The table of a claim check, which is of the same module as the event table. */
    private static Module payloads(Examination examination) {
        String schema = examination.database() + "-payload";
        return new Module(
                PAYLOADS, OutboxSchema.of(schema, examination.tableName()).statements(), false);
    }

    private static List<Finding> compare(Examination examination, Module module) throws SQLException {
        Map<String, ShippedTable> shipped = ShippedTable.tables(module.statements());
        Map<String, TableSeen> seen = new LinkedHashMap<>();
        for (String table : shipped.keySet()) {
            seen.put(table, examination.catalog().table(examination.ask(), table));
        }
        boolean used = module.required() || seen.values().stream().anyMatch(table -> !table.isMissing());
        List<Finding> findings = new ArrayList<>();
        if (used) {
            for (Map.Entry<String, ShippedTable> table : shipped.entrySet()) {
                TableSeen found = seen.get(table.getKey());
                if (found == null || found.isMissing()) {
                    findings.add(missing(module, table.getKey()));
                } else {
                    findings.addAll(
                            SchemaDrift.columns(examination.catalog(), table.getKey(), table.getValue(), found));
                    findings.addAll(missingIndexes(examination, module, table.getKey()));
                }
            }
        }
        return findings;
    }

    private static Finding missing(Module module, String table) {
        return Finding.of(
                FindingCode.TABLE_MISSING,
                Severity.CRITICAL,
                "there is no table " + table + " that this user may see",
                "the module '" + module.name() + "' cannot work without it",
                "create it: 'outbox schema print --module " + module.name() + "' prints its DDL");
    }

    private static List<Finding> missingIndexes(Examination examination, Module module, String table)
            throws SQLException {
        List<String> indexes = module.statements().stream()
                .filter(sql -> sql.contains(" INDEX ") && sql.contains(" ON " + table + " ("))
                .toList();
        return OutboxSchema.missingIndexes(examination.ask().connection(), indexes).stream()
                .map(create -> Finding.of(
                        FindingCode.INDEX_MISSING,
                        Severity.WARNING,
                        "table " + table + " lacks an index of the shipped schema",
                        "its queries read the whole table",
                        "create it",
                        examination.catalog().online(create) + ";"))
                .toList();
    }
}
