package outbox.cdc;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import outbox.jdbc.store.PostgresOutboxStore;

class PostgresPartitionedConnectFileIT extends PostgresConnectFileIT {
    @Override
    void prepare(CdcFixture fixture) throws Exception {
        PostgresOutboxStore store = new PostgresOutboxStore();
        fixture.execute("DROP TABLE outbox_event");
        try (Connection conn = fixture.dataSource.getConnection()) {
            store.partitionedSchema().apply(conn);
        }
        store.dailyPartitions().rotate(fixture.dataSource::getConnection, Instant.now(), Duration.ofDays(1));
    }
}
