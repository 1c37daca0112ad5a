package outbox.spring.boot;

import java.sql.SQLException;
import java.time.Instant;
import outbox.idempotency.jdbc.JdbcEventConsumptionTracker;
import outbox.idempotency.jdbc.JdbcIdempotencyRecords;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.spi.ConnectionProvider;
import outbox.spi.EventPurger;
import outbox.spi.TxContext;
import outbox.spi.UnitOfWork;
import outbox.spring.boot.properties.PurgeProperties;

/** Purges old handler progress and expired idempotency keys; the engine purges the events themselves. */
final class TablePurge implements Runnable {
    private static final int BATCH = 500;

    private final EventPurger consumption;
    private final JdbcIdempotencyRecords keys;
    private final ConnectionProvider connections;
    private final OutboxTables tables;
    private final PurgeProperties settings;

    TablePurge(
            AbstractJdbcOutboxStore store,
            ConnectionProvider connections,
            TxContext txContext,
            OutboxTables tables,
            PurgeProperties settings) {
        this.consumption = new JdbcEventConsumptionTracker(store.name(), connections, txContext, tables.consumption())
                .purger(store.tableName());
        this.keys = new JdbcIdempotencyRecords(store.name(), connections, txContext);
        this.connections = connections;
        this.tables = tables;
        this.settings = settings;
    }

    @Override
    public void run() {
        if (tables.exists(tables.consumption())) {
            purgeConsumption();
        }
        if (tables.exists(JdbcIdempotencyRecords.DEFAULT_TABLE)) {
            int gone;
            do {
                gone = keys.purgeExpired(BATCH);
            } while (gone >= BATCH);
        }
    }

    private void purgeConsumption() {
        try {
            Instant before =
                    UnitOfWork.run(connections, consumption::now).orElseThrow().minus(settings.getRetention());
            int gone;
            do {
                gone = UnitOfWork.run(connections, conn -> consumption.purge(conn, before, BATCH));
            } while (gone >= BATCH);
        } catch (SQLException e) {
            throw new IllegalStateException("cannot purge handler progress: " + e.getMessage(), e);
        }
    }
}
