package outbox.jdbc.partition;

import outbox.jdbc.store.MariaDbOutboxStore;
import outbox.testing.server.EmbeddedMariaDb;

class MariaDbDailyPartitionsIT extends DailyPartitionsContract {
    MariaDbDailyPartitionsIT() {
        super(EmbeddedMariaDb::shared, new MariaDbOutboxStore());
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
