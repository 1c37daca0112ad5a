package outbox.spring.boot.properties;

import org.jspecify.annotations.Nullable;
import outbox.spring.boot.properties.OutboxProperties.Mode;

/** One of several outboxes; what it does not say is said by outbox.*. */
public class InstanceProperties {
    /** Name of the DataSource bean that holds the table. */
    private @Nullable String dataSource;

    /** Name of the transaction manager bean for that data source. Found by itself where possible. */
    private @Nullable String transactionManager;

    /** Table of the events. Default: that of outbox.table. */
    private @Nullable String table;

    /** Table of the progress of handlers. Default: that of outbox.consumption-table. */
    private @Nullable String consumptionTable;

    /** What this application does with the table. Default: that of outbox.mode. */
    private @Nullable Mode mode;

    /** Whether this one is injected where no qualifier is given. */
    private boolean primary;

    public @Nullable String getDataSource() {
        return dataSource;
    }

    public void setDataSource(@Nullable String dataSource) {
        this.dataSource = dataSource;
    }

    public @Nullable String getTransactionManager() {
        return transactionManager;
    }

    public void setTransactionManager(@Nullable String transactionManager) {
        this.transactionManager = transactionManager;
    }

    public @Nullable String getTable() {
        return table;
    }

    public void setTable(@Nullable String table) {
        this.table = table;
    }

    public @Nullable String getConsumptionTable() {
        return consumptionTable;
    }

    public void setConsumptionTable(@Nullable String consumptionTable) {
        this.consumptionTable = consumptionTable;
    }

    public @Nullable Mode getMode() {
        return mode;
    }

    public void setMode(@Nullable Mode mode) {
        this.mode = mode;
    }

    public boolean isPrimary() {
        return primary;
    }

    public void setPrimary(boolean primary) {
        this.primary = primary;
    }
}
