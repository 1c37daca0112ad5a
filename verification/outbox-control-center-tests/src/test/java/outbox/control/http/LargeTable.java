package outbox.control.http;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * Fills a PostgreSQL outbox as a month of a busy shop leaves it: 96.9 % delivered, 2 % waiting, 0.1 % to be retried, 1 %
 * given up, in twenty types, fifty tenants and a million aggregates, and a recorded attempt for every twentieth event.
 */
final class LargeTable {
    private static final long CHUNK = 500_000;
    private static final String ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    /** Milliseconds of event i: the rows are spread over thirty days and end now. */
    private static final String MILLIS =
            "(extract(epoch FROM now()) * 1000)::bigint - 2592000000 + i * 2592000000 / %d";

    private final DataSource dataSource;
    private final long rows;

    LargeTable(DataSource dataSource, long rows) {
        this.dataSource = dataSource;
        this.rows = rows;
    }

    void fill() throws SQLException {
        try (Connection conn = dataSource.getConnection();
                Statement statement = conn.createStatement()) {
            statement.execute("SET synchronous_commit = off");
            statement.execute("SET maintenance_work_mem = '512MB'");
            List<String> indexes = dropIndexes(statement);
            long start = System.nanoTime();
            for (long from = 1; from <= rows; from += CHUNK) {
                statement.execute(events(from, Math.min(rows, from + CHUNK - 1)));
                System.err.printf("%,d rows after %d s%n", Math.min(rows, from + CHUNK - 1), seconds(start));
            }
            for (String index : indexes) {
                statement.execute(index);
            }
            statement.execute(attempts());
            statement.execute("VACUUM (ANALYZE) outbox_event");
            statement.execute("ANALYZE outbox_attempt");
            System.err.printf("filled, indexed and analyzed after %d s%n", seconds(start));
        }
    }

    /** Building them at the end is faster. @return what makes them again */
    private static List<String> dropIndexes(Statement statement) throws SQLException {
        List<String> names = new ArrayList<>();
        List<String> definitions = new ArrayList<>();
        try (ResultSet row = statement.executeQuery("SELECT indexname, indexdef FROM pg_indexes"
                + " WHERE tablename = 'outbox_event' AND indexname NOT LIKE '%pkey'")) {
            while (row.next()) {
                names.add(row.getString(1));
                definitions.add(row.getString(2));
            }
        }
        for (String name : names) {
            statement.execute("DROP INDEX " + name);
        }
        return definitions;
    }

    private String events(long from, long to) {
        StringBuilder ulid = new StringBuilder();
        for (int shift = 45; shift >= 0; shift -= 5) {
            ulid.append("substr('")
                    .append(ALPHABET)
                    .append("', ((ms >> ")
                    .append(shift)
                    .append(") & 31)::int + 1, 1) || ");
        }
        return """
                INSERT INTO outbox_event (event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload, headers,
                  status, attempts, available_at, created_at, done_at, last_error)
                SELECT %s lpad(upper(to_hex(i)), 16, '0'), 'Event' || i %% 20, 'Order', 'order-' || (i * 7919) %% 1000000,
                  'tenant-' || i %% 50, jsonb_build_object('orderId', i, 'total', i %% 1000, 'note', 'a cup of tea'), NULL,
                  status, CASE status WHEN 3 THEN 10 WHEN 2 THEN 3 ELSE 0 END, at, at,
                  CASE status WHEN 1 THEN at + (i %% 5000) * interval '1 ms' END,
                  CASE WHEN status IN (2, 3) THEN 'java.io.IOException: service ' || i %% 30 || ' did not answer order '
                    || i || E'\\n  at shop.Remote' || i %% 30 || '.call(Remote.java:17)' || repeat(E'\\n  at shop.Stack.frame(Stack.java:1)', 12) END
                FROM (SELECT i, ms, to_timestamp(ms / 1000.0) AS at,
                    CASE WHEN i %% 1000 < 10 THEN 3 WHEN i %% 1000 = 10 THEN 2 WHEN i %% 1000 BETWEEN 11 AND 30 THEN 0 ELSE 1 END AS status
                  FROM (SELECT i, %s AS ms FROM generate_series(%d::bigint, %d::bigint) i) times) states""".formatted(ulid, MILLIS.formatted(rows), from, to);
    }

    private static String attempts() {
        return """
                INSERT INTO outbox_attempt (id, event_id, event_type, attempt, happened_at, duration_micros, node, outcome,
                  error_class, error_text)
                SELECT lpad(to_hex(row_number() OVER ()), 26, '0'), event_id, event_type, 1, created_at, 2000, 'node-1', 2,
                  'java.io.IOException', coalesce(last_error, 'java.io.IOException: away')
                FROM outbox_event WHERE right(event_id, 1) = '0' AND substr(event_id, 25, 1) < '8'""";
    }

    private static long seconds(long start) {
        return (System.nanoTime() - start) / 1_000_000_000;
    }
}
