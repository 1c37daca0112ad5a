package outbox.jdbc.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.testing.server.DatabaseServer;

/** Days on MySQL and MariaDB. */
abstract class InnoDbDailyPartitionsContract extends DailyPartitionsContract {
    InnoDbDailyPartitionsContract(Supplier<DatabaseServer> server, AbstractJdbcOutboxStore store) {
        super(server, store);
    }

    @Override
    String partition(String day) {
        return "outbox_event PARTITION (p" + day + ")";
    }

    @Override
    String rest() {
        return "outbox_event PARTITION (p_before, p_after)";
    }

    @Override
    PartitionedTable days() {
        return new InnoDbPartitions("outbox_event", DailyPartitions.DEFAULT_LOCK_TIMEOUT);
    }

    /** Nobody can write to the table meanwhile. */
    @Test
    void manyRowsBehindTheLastDayAreNotCopied() throws Exception {
        try (Connection conn = table().dataSource().getConnection()) {
            store().insertBatch(
                            conn,
                            IntStream.rangeClosed(0, InnoDbPartitions.MOVED_AT_MOST)
                                    .mapToObj(i -> EventEnvelope.builder("Happened")
                                            .eventId("x" + i)
                                            .payloadJson("{}")
                                            .build())
                                    .toList());
        }
        LocalDate first = Days.of(Instant.now().plus(Duration.ofDays(9)));
        PartitionedTable.Creation creation =
                days().create(table().dataSource()::getConnection, first, first.plusDays(3));
        assertThat(creation.created()).isEmpty();
        assertThat(creation.notDone())
                .singleElement()
                .asString()
                .contains("p_after contains more than 10000 rows")
                .contains(first.toString());
        String report = creation.notDone().get(0);
        table().execute(report.substring(report.indexOf("ALTER TABLE")));
        try (Connection conn = table().dataSource().getConnection()) {
            assertThat(days().days(conn)).contains(first, first.plusDays(3));
        }
    }
}
