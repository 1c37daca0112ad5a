package outbox.jdbc.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import org.junit.jupiter.api.Test;
import outbox.jdbc.store.PostgresOutboxStore;
import outbox.spi.TableRotation.Report;
import outbox.testing.server.EmbeddedPostgres;

class PostgresDailyPartitionsIT extends DailyPartitionsContract {
    PostgresDailyPartitionsIT() {
        super(EmbeddedPostgres::shared, new PostgresOutboxStore());
    }

    @Override
    String partition(String day) {
        return "outbox_event_p" + day;
    }

    @Override
    String rest() {
        return "outbox_event_default";
    }

    @Override
    PartitionedTable days() {
        return new PostgresPartitions("outbox_event", DailyPartitions.DEFAULT_LOCK_TIMEOUT);
    }

    @Test
    void whatSomebodyMadeByHandIsReportedAndTheRoundGoesOn() throws Exception {
        Instant now = Instant.now().plus(Duration.ofDays(9));
        LocalDate first = Days.of(now);
        table().execute("CREATE TABLE " + partition(first.toString().replace("-", "")) + " (n INT)");
        table().execute("CREATE TABLE by_hand PARTITION OF outbox_event FOR VALUES FROM ('"
                + Days.bound(first.plusDays(1)) + "') TO ('" + Days.bound(first.plusDays(2)) + "')");
        Report report = store().dailyPartitions()
                .daysAhead(2)
                .rotate(table().dataSource()::getConnection, now, Duration.ofDays(3));
        assertThat(report.created()).containsExactly(first.plusDays(2).toString());
        assertThat(report.kept())
                .anyMatch(line -> line.contains("already exists"))
                .anyMatch(line -> line.contains("\"by_hand\""));
        table().execute("DROP TABLE " + partition(first.toString().replace("-", "")));
    }

    /** The database reads all of it to make a day, while nobody can write. */
    @Test
    void aLargeDefaultPartitionDoesNotHoldUpTheTable() throws Exception {
        table().execute("INSERT INTO outbox_event (event_id, event_type, payload, status, available_at, created_at)"
                + " SELECT 'x' || n, 'Happened', '{}', 1, now(), now() FROM generate_series(1, 50000) n");
        PartitionedTable impatient = new PostgresPartitions("outbox_event", Duration.ofMillis(1));
        LocalDate first = Days.of(Instant.now().plus(Duration.ofDays(9)));
        PartitionedTable.Creation creation =
                impatient.create(table().dataSource()::getConnection, first, first.plusDays(3));
        assertThat(creation.created()).isEmpty();
        assertThat(creation.notDone())
                .singleElement()
                .asString()
                .contains("within 2 ms")
                .contains("the whole default partition")
                .contains("too many rows");
        String report = creation.notDone().get(0);
        table().execute(report.substring(report.indexOf("CREATE TABLE")));
        try (Connection conn = table().dataSource().getConnection()) {
            assertThat(days().days(conn)).contains(first);
        }
    }
}
