package outbox.spring.boot;

import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
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

/**
 * Beans for each of {@code outbox.instances.*}: the same as for a sole outbox, each qualified with the instance's name, so
 * that {@code @Qualifier("billing") OutboxWriter} is the writer of {@code billing}.
 */
final class NamedOutboxes implements ImportBeanDefinitionRegistrar {
    private final ConfigurableListableBeanFactory beans;
    private final Environment environment;

    NamedOutboxes(BeanFactory beans, Environment environment) {
        this.beans = (ConfigurableListableBeanFactory) beans;
        this.environment = environment;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        OutboxForm.instances(environment).forEach((name, instance) -> register(registry, name, instance));
    }

    private void register(BeanDefinitionRegistry registry, String name, InstanceProperties instance) {
        Beans of = new Beans(registry, name, instance.isPrimary());
        of.bean("OutboxUnit", OutboxUnit.class, () -> assemble(name, instance));
        of.part("Outbox", Outbox.class, OutboxUnit::outbox);
        of.part("OutboxPlace", OutboxPlace.class, OutboxUnit::place);
        of.part("OutboxWriter", OutboxWriter.class, unit -> unit.outbox().writer());
        of.part("DeadEvents", DeadEventManager.class, unit -> unit.outbox().deadEvents());
        of.part(
                "DomainEventPublisher",
                DomainEventPublisher.class,
                unit -> unit.parts().publisher());
        of.part(
                "DomainEventOutboxService",
                DomainEventOutboxService.class,
                unit -> new DomainEventOutboxService(unit.parts().publisher()));
        of.part(
                "IdempotentCreateTemplate",
                IdempotentCreateTemplate.class,
                unit -> unit.idempotentCreate(beans.getBean(PayloadSerializer.class)));
        if (modeOf(instance) != OutboxProperties.Mode.WRITER_ONLY) {
            RootBeanDefinition relay = of.part(
                    "OutboxRelay", OutboxRelay.class, unit -> unit.outbox().relay());
            relay.setLazyInit(true); // an outbox without handlers has none
        }
    }

    private OutboxProperties.Mode modeOf(InstanceProperties instance) {
        if (instance.getMode() != null) {
            return instance.getMode();
        }
        return environment.getProperty("outbox.mode", OutboxProperties.Mode.class, OutboxProperties.Mode.MULTI_NODE);
    }

    private OutboxUnit assemble(String name, InstanceProperties instance) {
        if (instance.getDataSource() == null) {
            throw new IllegalStateException("outbox.instances." + name + ".data-source is not set: say which DataSource"
                    + " bean holds its table");
        }
        OutboxProperties properties = beans.getBean(OutboxProperties.class);
        refuseSharedProgress(name, instance, properties);
        return new OutboxAssembler(beans, properties, environment)
                .assemble(new OutboxAssembler.Settings(
                        name,
                        instance.getDataSource(),
                        instance.getTransactionManager(),
                        table(name, instance, properties),
                        consumptionTable(name, instance, properties),
                        instance.getMode() == null ? properties.getMode() : instance.getMode(),
                        false));
    }

    private static String table(String name, InstanceProperties instance, OutboxProperties properties) {
        return instance.getTable() == null
                ? properties.getTable()
                : new PropertyGroup("outbox.instances." + name)
                        .make("table", instance.getTable(), TableNames::validate);
    }

    private static String consumptionTable(String name, InstanceProperties instance, OutboxProperties properties) {
        return instance.getConsumptionTable() == null
                ? new PropertyGroup("outbox")
                        .make("consumption-table", properties.getConsumptionTable(), TableNames::validate)
                : new PropertyGroup("outbox.instances." + name)
                        .make("consumption-table", instance.getConsumptionTable(), TableNames::validate);
    }

    /** The purge of one would take the progress of the other's events for that of events that are gone. */
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
                throw new IllegalStateException("outbox.instances." + name + " and outbox.instances." + otherName
                        + " have tables of their own and keep the progress of their handlers together in " + consumption
                        + ", where the purge of one would delete that of the other; set outbox.instances." + name
                        + ".consumption-table");
            }
        });
    }

    /** Definitions of one instance. */
    private final class Beans {
        private final BeanDefinitionRegistry registry;
        private final String name;
        private final boolean primary;

        Beans(BeanDefinitionRegistry registry, String name, boolean primary) {
            this.registry = registry;
            this.name = name;
            this.primary = primary;
        }

        <T> RootBeanDefinition part(String suffix, Class<T> type, Function<OutboxUnit, T> part) {
            return bean(suffix, type, () -> part.apply(beans.getBean(name + "OutboxUnit", OutboxUnit.class)));
        }

        <T> RootBeanDefinition bean(String suffix, Class<T> type, Supplier<T> supplier) {
            RootBeanDefinition definition = new RootBeanDefinition(type, supplier);
            definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, name));
            definition.setPrimary(primary);
            definition.setDestroyMethodName(""); // the unit decides when, and is told to
            registry.registerBeanDefinition(name + suffix, definition);
            return definition;
        }
    }
}
