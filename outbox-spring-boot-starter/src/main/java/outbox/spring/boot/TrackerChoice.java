package outbox.spring.boot;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.domain.handler.EventConsumptionTracker;
import outbox.spring.boot.OutboxProperties.Tracking;

/** Where the progress of handlers is kept, once it is known what they need. */
final class TrackerChoice implements AutoCloseable {
    private final Tracking tracking;
    private final BooleanSupplier tableExists;
    private final Supplier<? extends EventConsumptionTracker> jdbc;
    private final Supplier<? extends EventConsumptionTracker> redis;

    TrackerChoice(
            Tracking tracking,
            BooleanSupplier tableExists,
            Supplier<? extends EventConsumptionTracker> jdbc,
            Supplier<? extends EventConsumptionTracker> redis) {
        this.tracking = tracking;
        this.tableExists = tableExists;
        this.jdbc = jdbc;
        this.redis = redis;
    }

    /** A table that is there may hold progress that must not be forgotten. */
    @Nullable
    EventConsumptionTracker choose(boolean needed) {
        return switch (tracking) {
            case AUTO -> needed || tableExists.getAsBoolean() ? jdbc.get() : null;
            case JDBC -> jdbc.get();
            case REDIS -> redis.get();
            case NONE -> null;
        };
    }

    @Override
    public void close() {}
}
