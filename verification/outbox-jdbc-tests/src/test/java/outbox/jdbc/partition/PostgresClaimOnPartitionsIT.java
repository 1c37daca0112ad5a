package outbox.jdbc.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.jdbc.TestTable;
import outbox.jdbc.store.PostgresOutboxStore;
import outbox.spi.ClaimRequest;
import outbox.testing.server.EmbeddedPostgres;
import outbox.util.Ulid;

/** Claims go by the index of pending rows of each day, whatever the days that were delivered hold. */
class PostgresClaimOnPartitionsIT {
    private static final int DAYS = 4;
    private static final int ROWS = 3000;

    private final PostgresOutboxStore store = new PostgresOutboxStore();

    @Test
    void aClaimReadsNoMoreThanItTakesAndNothingOfDeliveredDays() throws Exception {
        try (TestTable table = TestTable.partitioned(EmbeddedPostgres.shared(), store);
                Connection conn = table.dataSource().getConnection();
                Statement statement = conn.createStatement()) {
            for (int day = 0; day < DAYS; day++) {
                store.insertBatch(conn, events(Instant.now().plus(Duration.ofDays(day))));
                if (day < DAYS - 1) {
                    statement.execute("UPDATE outbox_event SET status = 1, done_at = now() WHERE status = 0");
                }
            }
            statement.execute("VACUUM ANALYZE outbox_event");
            long entries =
                    sum(statement, "idx_tup_read", "pg_stat_user_indexes WHERE indexrelname LIKE '%available_at%'");
            long scanned = sum(statement, "seq_tup_read", "pg_stat_user_tables WHERE relname LIKE 'outbox_event%'");
            assertThat(store.claim(conn, new ClaimRequest("a", Duration.ofMinutes(5), Duration.ZERO, 100)))
                    .hasSize(100);
            assertThat(sum(statement, "idx_tup_read", "pg_stat_user_indexes WHERE indexrelname LIKE '%available_at%'")
                            - entries)
                    .isLessThanOrEqualTo(110);
            assertThat(sum(statement, "seq_tup_read", "pg_stat_user_tables WHERE relname LIKE 'outbox_event%'")
                            - scanned)
                    .isZero();
        }
    }

    private static List<EventEnvelope> events(Instant time) {
        Ulid ulids = new Ulid(() -> time);
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            events.add(EventEnvelope.builder("Happened")
                    .eventId(ulids.generate())
                    .payloadJson("{}")
                    .build());
        }
        return events;
    }

    private static long sum(Statement statement, String column, String from) throws SQLException {
        statement.execute("SELECT pg_stat_force_next_flush()");
        try (ResultSet row = statement.executeQuery("SELECT SUM(" + column + ") FROM " + from)) {
            row.next();
            return row.getLong(1);
        }
    }
}
