package outbox.spring.boot;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import outbox.doctor.Doctor;
import outbox.doctor.ListenerTimes;

/** The endpoints {@code outbox} and {@code outboxdoctor} and the health indicator, if the actuator is present. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnBean(OutboxUnit.class)
public class OutboxActuatorAutoConfiguration {
    @Bean
    OutboxHealth outboxHealthCheck(ObjectProvider<OutboxUnit> units, ObjectProvider<LogRelay> relay) {
        return new OutboxHealth(units.orderedStream().toList(), relay.getIfUnique());
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
    @ConditionalOnAvailableEndpoint(endpoint = OutboxEndpoint.class)
    @EnableConfigurationProperties(OutboxEndpointProperties.class)
    static class EndpointConfiguration {
        @Bean
        @ConditionalOnMissingBean
        OutboxEndpoint outboxEndpoint(ObjectProvider<OutboxUnit> units, OutboxEndpointProperties properties) {
            return new OutboxEndpoint(units.orderedStream().toList(), properties.getShowValues());
        }

        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnAvailableEndpoint(endpoint = OutboxEndpoint.class, exposure = EndpointExposure.WEB)
        OutboxEndpointWebExtension outboxEndpointWebExtension(
                OutboxEndpoint endpoint, OutboxEndpointProperties properties) {
            return new OutboxEndpointWebExtension(endpoint, properties.getShowValues(), properties.getRoles());
        }
    }

    /** {@code outbox-doctor} is on the class path. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class, Doctor.class})
    @ConditionalOnAvailableEndpoint(endpoint = OutboxDoctorEndpoint.class)
    static class DoctorConfiguration {
        @Bean
        @ConditionalOnMissingBean
        ListenerTimes outboxListenerTimes() {
            return new ListenerTimes();
        }

        @Bean
        @ConditionalOnMissingBean
        OutboxDoctorEndpoint outboxDoctorEndpoint(ObjectProvider<OutboxUnit> units, ListenerTimes times) {
            return new OutboxDoctorEndpoint(units.orderedStream().toList(), times);
        }
    }

    /** Spring Boot 3. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(
            name = {
                "org.springframework.boot.actuate.health.HealthIndicator",
                "org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator"
            })
    static class Boot3Health {
        @Bean
        @org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator("outbox")
        @ConditionalOnMissingBean(name = "outboxHealthIndicator")
        org.springframework.boot.actuate.health.HealthIndicator outboxHealthIndicator(OutboxHealth health) {
            return () -> {
                OutboxHealth.Finding finding = health.look();
                org.springframework.boot.actuate.health.Health.Builder builder = finding.up()
                        ? org.springframework.boot.actuate.health.Health.up()
                        : org.springframework.boot.actuate.health.Health.down();
                if (finding.problem() != null) {
                    builder.withException(finding.problem());
                }
                return builder.withDetails(finding.details()).build();
            };
        }
    }

    /** Spring Boot 4. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(
            name = {
                "org.springframework.boot.health.contributor.HealthIndicator",
                "org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator"
            })
    static class Boot4Health {
        @Bean
        @org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator("outbox")
        @ConditionalOnMissingBean(name = "outboxHealthIndicator")
        org.springframework.boot.health.contributor.HealthIndicator outboxHealthIndicator(OutboxHealth health) {
            return () -> {
                OutboxHealth.Finding finding = health.look();
                org.springframework.boot.health.contributor.Health.Builder builder = finding.up()
                        ? org.springframework.boot.health.contributor.Health.up()
                        : org.springframework.boot.health.contributor.Health.down();
                if (finding.problem() != null) {
                    builder.withException(finding.problem());
                }
                return builder.withDetails(finding.details()).build();
            };
        }
    }
}
