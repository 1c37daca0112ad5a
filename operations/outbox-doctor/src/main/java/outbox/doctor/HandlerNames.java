package outbox.doctor;

import java.sql.SQLException;
import java.util.List;
import java.util.function.Predicate;

/** Finds handlers that events still wait for but that no longer exist, for instance because they were renamed. */
final class HandlerNames {
    static final Check CHECK = new Check("handler names", HandlerNames::look);

    private static final String OPEN = """
            SELECT handler, COUNT(*) FROM (SELECT handler FROM {consumption} WHERE state = 2 LIMIT 10000) waiting
            GROUP BY handler ORDER BY handler
            """;

    private HandlerNames() {}

    private static List<Finding> look(Examination examination) throws SQLException {
        Predicate<String> owned = examination.doctor().ownedHandlers;
        String consumption = examination.doctor().consumptionTable;
        if (owned == null || !examination.hasTable(consumption)) {
            return List.of();
        }
        record Waiting(String handler, long events) {}
        String sql = OPEN.replace("{consumption}", consumption);
        return examination.ask().list(sql, row -> new Waiting(row.getString(1), row.getLong(2))).stream()
                .filter(waiting -> !owned.test(waiting.handler()))
                .map(waiting -> Finding.of(
                        FindingCode.HANDLER_UNOWNED,
                        Severity.WARNING,
                        waiting.events() + " events wait for handler '" + waiting.handler() + "', which does not exist",
                        "when a handler is renamed or removed, its open events are never handled",
                        "restore the old name, or add it to formerNames of the new handler: docs/handlers.md"))
                .toList();
    }
}
