package outbox.spring.boot.properties;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;
import outbox.spring.boot.properties.OutboxProperties.Mode;

/**
 * One of several outboxes; settings that are not set default to outbox.*. The groups {@code poll}, {@code dispatch},
 * {@code retry} and {@code purge} contain only the instance's own settings; {@link #merged} adds those of outbox.*.
 */
public class InstanceProperties {
    /** Name of the DataSource bean whose database holds the table. */
    private @Nullable String dataSource;

    /** Name of the transaction manager bean for that data source. Default: the one that manages it. */
    private @Nullable String transactionManager;

    /** Name of the outbox table. Default: outbox.table. */
    private @Nullable String table;

    /** Name of the table with the progress of handlers. Default: outbox.consumption-table. */
    private @Nullable String consumptionTable;

    /** How this application uses the outbox table. Default: outbox.mode. */
    private @Nullable Mode mode;

    @NestedConfigurationProperty
    private final DispatchProperties dispatch = new DispatchProperties();

    @NestedConfigurationProperty
    private final PollProperties poll = new PollProperties();

    @NestedConfigurationProperty
    private final RetryProperties retry = new RetryProperties();

    @NestedConfigurationProperty
    private final PurgeProperties purge = new PurgeProperties();

    /** Whether the beans of this outbox are injected where no qualifier is given. */
    private boolean primary;

    /** The properties of outbox.*, overridden by those of the instance. */
    public static OutboxProperties merged(Environment environment, String instance) {
        return mergedWith(environment, "outbox.instances." + instance);
    }

    /** The properties of outbox.*, overridden by the groups with that prefix. */
    static OutboxProperties mergedWith(Environment environment, String prefix) {
        Binder binder = Binder.get(environment);
        OutboxProperties merged = binder.bindOrCreate("outbox", OutboxProperties.class);
        Map<String, Object> groups = Map.of(
                "dispatch", merged.getDispatch(),
                "poll", merged.getPoll(),
                "retry", merged.getRetry(),
                "purge", merged.getPurge());
        groups.forEach((name, group) ->
                binder.bind(ConfigurationPropertyName.adapt(prefix + "." + name, '.'), Bindable.ofInstance(group)));
        return merged;
    }

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

    public DispatchProperties getDispatch() {
        return dispatch;
    }

    public PollProperties getPoll() {
        return poll;
    }

    public RetryProperties getRetry() {
        return retry;
    }

    public PurgeProperties getPurge() {
        return purge;
    }
}
