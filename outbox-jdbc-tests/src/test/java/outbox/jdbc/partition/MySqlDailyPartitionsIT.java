package outbox.jdbc.partition;

import outbox.jdbc.store.MySqlOutboxStore;
import outbox.testing.server.EmbeddedMySql;

class MySqlDailyPartitionsIT extends DailyPartitionsContract {
    MySqlDailyPartitionsIT() {
        super(EmbeddedMySql::shared, new MySqlOutboxStore());
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
}
