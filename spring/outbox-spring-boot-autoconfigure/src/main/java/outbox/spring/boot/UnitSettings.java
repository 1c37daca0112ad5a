package outbox.spring.boot;

import org.jspecify.annotations.Nullable;
import outbox.spring.boot.properties.OutboxProperties.Mode;

/**
 * Settings that may differ between the outboxes of one application.
 *
 * @param sole whether it is the only one, without a name in {@code outbox.instances}
 * @param prefix of its own properties
 */
record UnitSettings(
        String name,
        @Nullable String dataSource,
        @Nullable String transactionManager,
        String table,
        String consumptionTable,
        Mode mode,
        boolean sole,
        String prefix) {}
