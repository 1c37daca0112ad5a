package outbox.spring.boot;

import java.sql.Connection;
import java.sql.SQLException;
import org.springframework.context.SmartLifecycle;
import outbox.cdc.CdcRelay;
import outbox.cdc.CdcSchema;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.spring.boot.OutboxProperties.SchemaMode;

/** Starts the relay when the handlers are there and closes it before they are. */
final class CdcRelayLifecycle implements SmartLifecycle {
    private static final String A_TABLE = "outbox_cdc_offset";

    private final CdcRelay relay;
    private final OutboxUnit unit;
    private final SchemaMode schema;
    private volatile boolean running;

    CdcRelayLifecycle(CdcRelay relay, OutboxUnit unit, SchemaMode schema) {
        this.relay = relay;
        this.unit = unit;
        this.schema = schema;
    }

    @Override
    public void start() {
        if (schema == SchemaMode.ALWAYS) {
            createTables();
        }
        relay.start();
        running = true;
    }

    private void createTables() {
        try (Connection connection = unit.parts().connections().getConnection()) {
            connection.setAutoCommit(true);
            if (!JdbcOutboxStores.hasTable(connection, A_TABLE)) {
                CdcSchema.of(unit.parts().store().name()).apply(connection);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the tables of outbox-cdc can not be created: " + e.getMessage(), e);
        }
    }

    @Override
    public void stop() {
        running = false;
        relay.close();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** A relay that was closed does not begin again, so a test context that is put aside keeps it. */
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return OutboxUnit.PHASE + 1;
    }
}
