package outbox.spring.boot;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.context.SmartLifecycle;
import outbox.cdc.CdcRelay;
import outbox.cdc.CdcSchema;
import outbox.cdc.CdcStatus;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.spring.boot.properties.SchemaProperties.SchemaMode;

/** Starts the relay when the handlers are there and closes it before they are. */
final class CdcRelayLifecycle implements SmartLifecycle, LogRelay {
    private static final String A_TABLE = "outbox_cdc_offset";

    private final CdcRelay relay;
    private final OutboxUnit unit;
    private final SchemaMode schema;
    private volatile boolean running;
    private volatile boolean closed;

    CdcRelayLifecycle(CdcRelay relay, OutboxUnit unit, SchemaMode schema) {
        this.relay = relay;
        this.unit = unit;
        this.schema = schema;
    }

    @Override
    public void start() {
        if (closed) {
            throw new IllegalStateException(
                    "the relay of outbox.cdc was closed with its context and does not begin again;"
                            + " start the application anew");
        }
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
        closed = true;
        relay.close();
    }

    @Override
    public boolean isStopped() {
        return relay.status().state() == CdcStatus.State.STOPPED;
    }

    @Override
    public Map<String, Object> details() {
        CdcStatus status = relay.status();
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("state", status.state().name());
        details.put("lagSeconds", status.lag().toSeconds());
        if (status.warning() != null) {
            details.put("warning", status.warning());
        }
        if (status.lastError() != null) {
            details.put("lastError", status.lastError());
        }
        return details;
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
