package outbox.control.source;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;

/** Collects values to complete a filter with, from a bounded number of rows. Thread-safe. */
public final class SuggestionReader {
    private static final int ROWS = 2_000;
    private static final int MOST = 100;

    private final Application application;

    public SuggestionReader(Application application) {
        this.application = application;
    }

    public Suggestions read() throws SQLException {
        Map<String, Integer> types = new LinkedHashMap<>();
        Map<String, Integer> aggregateTypes = new LinkedHashMap<>();
        Map<String, Integer> tenants = new LinkedHashMap<>();
        Flavor flavor = application.flavor();
        try (Connection conn = application.dataSource().getConnection()) {
            for (String rows : List.of("ORDER BY event_id DESC", "WHERE status = 3")) {
                new Sql(
                                flavor,
                                "SELECT event_type, aggregate_type, tenant_id, COUNT(*) FROM (SELECT event_type,"
                                        + " aggregate_type, tenant_id FROM " + application.table() + " " + rows
                                        + " LIMIT ?) recent GROUP BY event_type, aggregate_type, tenant_id",
                                ROWS)
                        .query(conn, row -> {
                            int count = row.getInt(4);
                            count(types, row.getString(1), count);
                            count(aggregateTypes, row.getString(2), count);
                            count(tenants, row.getString(3), count);
                            return count;
                        });
            }
        }
        return new Suggestions(most(types), most(aggregateTypes), most(tenants));
    }

    private static void count(Map<String, Integer> values, @Nullable String value, int count) {
        if (value != null && !value.isEmpty()) {
            values.merge(value, count, Integer::sum);
        }
    }

    private static List<String> most(Map<String, Integer> values) {
        return values.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(MOST)
                .map(Map.Entry::getKey)
                .toList();
    }
}
