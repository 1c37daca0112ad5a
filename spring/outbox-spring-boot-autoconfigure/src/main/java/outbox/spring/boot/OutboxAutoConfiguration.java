package outbox.spring.boot;

import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import outbox.Outbox;
import outbox.OutboxRelay;
import outbox.OutboxWriter;
import outbox.dead.DeadEventManager;
import outbox.domain.DomainEventPublisher;
import outbox.domain.publish.DomainEventOutboxService;
import outbox.domain.type.EventTypes;
import outbox.domain.type.PayloadSerializer;
import outbox.domain.type.Upcaster;
import outbox.idempotency.IdempotentCreateTemplate;
import outbox.jdbc.TableNames;
import outbox.spring.boot.properties.OutboxProperties;
import outbox.spring.boot.properties.PropertyGroup;
import outbox.spring.boot.properties.RefusedSettingsException;

/**
 * The outbox of an application with a data source. Classes that moved between Spring Boot 3 and 4 are referenced by
 * name.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
            "org.springframework.boot.autoconfigure.jdbc.DataSourceTransactionManagerAutoConfiguration",
            "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
            "org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration",
            "org.springframework.boot.autoconfigure.jackson.JacksonAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
            "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration",
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
        })
@ConditionalOnProperty(prefix = "outbox", name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(OutboxProperties.class)
@Import({
    TotalMeters.WithoutPendingGauge.class,
    PayloadSerializerConfiguration.Jackson3.class,
    PayloadSerializerConfiguration.Jackson2.class,
    PayloadSerializerConfiguration.Detected.class
})
public class OutboxAutoConfiguration {
    static final String SOLE_UNIT = "outboxUnit";

    @Bean
    @ConditionalOnMissingBean
    EventTypes outboxEventTypes(
            OutboxProperties properties,
            BeanFactory beans,
            ResourceLoader resources,
            Environment environment,
            ObjectProvider<Upcaster> upcasters) {
        List<String> packages = properties.getEvents().getPackages();
        if (packages.isEmpty() && AutoConfigurationPackages.has(beans)) {
            packages = AutoConfigurationPackages.get(beans);
        }
        EventTypes.Builder types =
                EventTypes.builder().naming(properties.getEvents().getNaming());
        try {
            EventTypeScan.in(packages, resources, ExternalizedEvents.markers(environment))
                    .forEach(types::register);
        } catch (IllegalArgumentException e) {
            throw new RefusedSettingsException(
                    String.valueOf(e.getMessage()),
                    "Change the @EventName of one of them. Classes in " + packages
                            + " are event types of this application; outbox.events.packages names other packages.",
                    e);
        }
        upcasters.orderedStream().forEach(types::upcaster);
        return types.build();
    }

    /** The single outbox of an application without named instances. */
    @Configuration(proxyBeanMethods = false)
    @Conditional(OutboxForm.IsSole.class)
    @ConditionalOnBean(DataSource.class)
    @ConditionalOnMissingBean(Outbox.class)
    static class SoleOutbox {
        @Bean(SOLE_UNIT)
        OutboxUnit outboxUnit(
                ConfigurableListableBeanFactory beans, OutboxProperties properties, Environment environment) {
            return OutboxAssembler.assemble(new UnitConfiguration(
                    beans,
                    properties,
                    environment,
                    new UnitSettings(
                            OutboxUnit.SOLE,
                            properties.getDataSource(),
                            properties.getTransactionManager(),
                            properties.getTable(),
                            new PropertyGroup("outbox")
                                    .make("consumption-table", properties.getConsumptionTable(), TableNames::validate),
                            properties.getMode(),
                            true,
                            "outbox")));
        }

        @Bean(destroyMethod = "") // closed by the unit
        Outbox outbox(OutboxUnit unit) {
            return unit.outbox();
        }

        @Bean
        OutboxPlace outboxPlace(OutboxUnit unit) {
            return unit.place();
        }

        @Bean
        OutboxKeys outboxKeys(OutboxUnit unit) {
            return unit.keys();
        }

        @Bean
        @ConditionalOnMissingBean
        OutboxWriter outboxWriter(OutboxUnit unit) {
            return unit.outbox().writer();
        }

        @Bean
        @ConditionalOnMissingBean
        DeadEventManager outboxDeadEvents(OutboxUnit unit) {
            return unit.outbox().deadEvents();
        }

        @Bean
        @ConditionalOnMissingBean
        DomainEventPublisher domainEventPublisher(OutboxUnit unit, OutboxWriter writer) {
            return unit.publisher(writer);
        }

        @Bean
        @ConditionalOnMissingBean
        DomainEventOutboxService domainEventOutboxService(DomainEventPublisher publisher) {
            return new DomainEventOutboxService(publisher);
        }

        @Bean
        @ConditionalOnMissingBean
        IdempotentCreateTemplate idempotentCreateTemplate(
                OutboxUnit unit, DomainEventPublisher publisher, PayloadSerializer serializer) {
            return unit.idempotentCreate(publisher, serializer);
        }

        @Bean
        @Lazy // an outbox without delivery has none
        @ConditionalOnMissingBean
        OutboxRelay outboxRelay(OutboxUnit unit) {
            return unit.outbox().relay();
        }
    }

    /** Several named outboxes. */
    @Configuration(proxyBeanMethods = false)
    @Conditional(OutboxForm.IsNamed.class)
    @Import(NamedOutboxes.class)
    static class SeveralOutboxes {}

    /** No table at all. */
    @Configuration(proxyBeanMethods = false)
    @Conditional(OutboxForm.IsInMemory.class)
    static class WithoutTable {
        @Bean
        InMemoryOutbox inMemoryOutbox(ConfigurableListableBeanFactory beans) {
            return new InMemoryOutbox(beans, OutboxAssembler.envelopes(beans));
        }

        @Bean
        @ConditionalOnMissingBean
        DomainEventPublisher domainEventPublisher(InMemoryOutbox outbox) {
            return outbox.publisher();
        }

        @Bean
        @ConditionalOnMissingBean
        DomainEventOutboxService domainEventOutboxService(DomainEventPublisher publisher) {
            return new DomainEventOutboxService(publisher);
        }
    }
}
