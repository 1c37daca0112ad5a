package outbox.spring.boot;

import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import outbox.domain.handler.EventConsumptionTracker;
import outbox.idempotency.jdbc.JdbcEventConsumptionTracker;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.spi.ConnectionProvider;
import outbox.spi.TxContext;
import outbox.spring.boot.properties.HandlerProperties.Tracking;
import outbox.spring.boot.properties.OutboxProperties;
import outbox.spring.boot.properties.RefusedSettingsException;

/** Where the progress of handlers is kept, once it is known what they need. */
final class TrackerChoice {
    private static final String LETTUCE = "io.lettuce.core.RedisClient";

    private final BeanFactory beans;
    private final OutboxProperties properties;
    private final Supplier<@Nullable EventConsumptionTracker> own;
    private final OutboxTables tables;
    private final AbstractJdbcOutboxStore store;
    private final ConnectionProvider connections;
    private final TxContext txContext;

    TrackerChoice(
            BeanFactory beans,
            OutboxProperties properties,
            Supplier<@Nullable EventConsumptionTracker> own,
            OutboxTables tables,
            AbstractJdbcOutboxStore store,
            ConnectionProvider connections,
            TxContext txContext) {
        this.beans = beans;
        this.properties = properties;
        this.own = own;
        this.tables = tables;
        this.store = store;
        this.connections = connections;
        this.txContext = txContext;
    }

    /** An existing table may contain progress that must not be ignored. */
    @Nullable
    EventConsumptionTracker choose(boolean needed) {
        Tracking tracking = properties.getHandlers().getTracking();
        EventConsumptionTracker bean = own.get();
        if (bean != null) {
            if (tracking != Tracking.AUTO) {
                throw new RefusedSettingsException(
                        "there is an EventConsumptionTracker bean, "
                                + bean.getClass().getName() + ", but outbox.handlers.tracking is "
                                + tracking.name().toLowerCase(Locale.ROOT),
                        "Remove one of them.");
            }
            return bean;
        }
        boolean table = (tracking == Tracking.AUTO || tracking == Tracking.JDBC) && tables.exists(tables.consumption());
        return switch (tracking) {
            case AUTO -> needed || table ? jdbc(table) : null;
            case JDBC -> jdbc(table);
            case REDIS -> redis();
            case NONE -> null;
        };
    }

    private EventConsumptionTracker jdbc(boolean tableExists) {
        if (!tableExists) {
            tables.requireConsumption();
        }
        return new JdbcEventConsumptionTracker(store.name(), connections, txContext, tables.consumption());
    }

    private EventConsumptionTracker redis() {
        try {
            Class.forName(LETTUCE, false, TrackerChoice.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new RefusedSettingsException(
                    "outbox.handlers.tracking is redis, but there is no Redis client",
                    "Add io.lettuce:lettuce-core.",
                    e);
        }
        return RedisTracking.tracker(beans, properties.getRedis());
    }
}
