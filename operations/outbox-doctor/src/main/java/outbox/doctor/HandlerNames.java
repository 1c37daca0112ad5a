package outbox.doctor;

import java.sql.SQLException;
import java.util.List;
import java.util.function.Predicate;

/** Handlers that events still wait for and that no longer exist: somebody renamed one. */
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
                .map(
                        waiting -> Finding.of(
                                "handler-unowned",
                                Severity.WARNING,
                                waiting.events() + " events wait for handler '" + waiting.handler()
                                        + "', which does not exist",
                                "a handler that was renamed or removed leaves its open events behind: they are never handled",
                                "give the handler its old name back, or name it in formerNames of the new one: docs/handlers.md"))
                .toList();
    }
}
