package outbox.jdbc.partition;

import outbox.jdbc.store.PostgresOutboxStore;
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
}
