package outbox.spring.boot;

import java.util.List;
import java.util.Objects;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;
import outbox.Outbox;
import outbox.OutboxRelay;
import outbox.OutboxWriter;
import outbox.dead.DeadEventManager;
import outbox.domain.DomainEventPublisher;
import outbox.domain.publish.DomainEventOutboxService;
import outbox.domain.type.PayloadSerializer;
import outbox.idempotency.IdempotentCreateTemplate;
import outbox.jdbc.TableNames;
import outbox.spring.boot.properties.HandlerProperties.Tracking;
import outbox.spring.boot.properties.InstanceProperties;
import outbox.spring.boot.properties.OutboxProperties;
import outbox.spring.boot.properties.PropertyGroup;
import outbox.spring.boot.properties.RefusedSettingsException;

/**
 * Creates the beans of each instance in {@code outbox.instances.*}. {@link NamedOutboxes} refers to these methods by
 * name in bean definitions, which, unlike suppliers, works with ahead-of-time processing.
 */
final class NamedOutboxFactory {
    private final ConfigurableListableBeanFactory beans;
    private final Environment environment;

    NamedOutboxFactory(ConfigurableListableBeanFactory beans, Environment environment) {
        this.beans = beans;
        this.environment = environment;
    }

    private OutboxUnit of(String name) {
        return beans.getBean(name + "OutboxUnit", OutboxUnit.class);
    }

    OutboxUnit unit(String name) {
        OutboxProperties properties = beans.getBean(OutboxProperties.class);
        refuseStray(OutboxWriter.class, NamedOutboxes.WRITER, properties);
        refuseStray(DomainEventPublisher.class, NamedOutboxes.PUBLISHER, properties);
        return assemble(name, Objects.requireNonNull(properties.getInstances().get(name), name), properties);
    }

    /** Such a bean would not be used by entities and other beans. */
    private void refuseStray(Class<?> type, String suffix, OutboxProperties properties) {
        List<String> expected = properties.getInstances().keySet().stream()
                .map(instance -> instance + suffix)
                .toList();
        for (String bean : beans.getBeanNamesForType(type, true, false)) {
            if (!expected.contains(bean)) {
                throw new RefusedSettingsException(
                        "bean '" + bean + "' is of type " + type.getSimpleName()
                                + ", but no outbox of outbox.instances uses it",
                        "To replace the bean of an instance, use one of the names " + expected
                                + " and qualify it with the name of the instance.");
            }
        }
    }

    Outbox outbox(String name) {
        return of(name).outbox();
    }

    OutboxPlace place(String name) {
        return of(name).place();
    }

    OutboxKeys keys(String name) {
        return of(name).keys();
    }

    OutboxWriter writer(String name) {
        return of(name).outbox().writer();
    }

    DeadEventManager deadEvents(String name) {
        return of(name).outbox().deadEvents();
    }

    DomainEventPublisher publisher(String name) {
        return of(name).publisher(beans.getBean(name + NamedOutboxes.WRITER, OutboxWriter.class));
    }

    DomainEventOutboxService service(String name) {
        return new DomainEventOutboxService(publisherBean(name));
    }

    IdempotentCreateTemplate idempotentCreate(String name) {
        return of(name).idempotentCreate(publisherBean(name), beans.getBean(PayloadSerializer.class));
    }

    private DomainEventPublisher publisherBean(String name) {
        return beans.getBean(name + NamedOutboxes.PUBLISHER, DomainEventPublisher.class);
    }

    OutboxRelay relay(String name) {
        return of(name).outbox().relay();
    }

    private OutboxUnit assemble(String name, InstanceProperties instance, OutboxProperties properties) {
        if (instance.getDataSource() == null) {
            throw new RefusedSettingsException(
                    "outbox.instances." + name + ".data-source is not set",
                    "Set it to the DataSource bean of its table.");
        }
        refuseSharedProgress(name, instance, properties);
        return OutboxAssembler.assemble(new UnitConfiguration(
                beans,
                InstanceProperties.merged(environment, name),
                environment,
                new UnitSettings(
                        name,
                        instance.getDataSource(),
                        instance.getTransactionManager(),
                        table(name, instance, properties),
                        consumptionTable(name, instance, properties),
                        instance.getMode() == null ? properties.getMode() : instance.getMode(),
                        false,
                        "outbox.instances." + name)));
    }

    static String table(String name, InstanceProperties instance, OutboxProperties properties) {
        return instance.getTable() == null
                ? properties.getTable()
                : new PropertyGroup("outbox.instances." + name)
                        .make("table", instance.getTable(), TableNames::validate);
    }

    static String consumptionTable(String name, InstanceProperties instance, OutboxProperties properties) {
        return instance.getConsumptionTable() == null
                ? new PropertyGroup("outbox")
                        .make("consumption-table", properties.getConsumptionTable(), TableNames::validate)
                : new PropertyGroup("outbox.instances." + name)
                        .make("consumption-table", instance.getConsumptionTable(), TableNames::validate);
    }

    /** The purge of one would delete the handler progress of the other. */
    private static void refuseSharedProgress(String name, InstanceProperties instance, OutboxProperties properties) {
        Tracking tracking = properties.getHandlers().getTracking();
        if (tracking == Tracking.REDIS || tracking == Tracking.NONE) {
            return;
        }
        String table = table(name, instance, properties);
        String consumption = consumptionTable(name, instance, properties);
        properties.getInstances().forEach((otherName, other) -> {
            if (Objects.equals(instance.getDataSource(), other.getDataSource())
                    && consumption.equalsIgnoreCase(consumptionTable(otherName, other, properties))
                    && !table.equalsIgnoreCase(table(otherName, other, properties))) {
                throw new RefusedSettingsException(
                        "outbox.instances." + name + " and outbox.instances." + otherName
                                + " have different outbox tables but share the handler progress table " + consumption
                                + ", so the purge of one would delete the progress of the other",
                        "Set outbox.instances." + name + ".consumption-table.");
            }
        });
    }
}
