package outbox.spring.boot;

import com.xxl.job.core.executor.XxlJobExecutor;
import com.xxl.job.core.executor.impl.XxlJobSpringExecutor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import outbox.spring.boot.properties.RefusedSettingsException;
import outbox.xxljob.OutboxJobs;
import outbox.xxljob.admin.XxlJobAdmin;

/** The jobs of the outbox in an XXL-Job executor: the application's own, or one made of {@code outbox.xxl-job.*}. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnClass({OutboxJobs.class, XxlJobSpringExecutor.class})
@ConditionalOnProperty(prefix = "outbox.xxl-job", name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(OutboxXxlJobProperties.class)
public class OutboxXxlJobAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean(XxlJobExecutor.class)
    @ConditionalOnProperty(prefix = "outbox.xxl-job", name = "admin-addresses")
    XxlJobSpringExecutor outboxXxlJobExecutor(OutboxXxlJobProperties properties, Environment environment) {
        if (properties.getAccessToken() == null || properties.getAccessToken().isBlank()) {
            throw new RefusedSettingsException(
                    "outbox.xxl-job.access-token is not set: anyone who can reach the port of the"
                            + " executor could run scripts in this process",
                    "Set it here and, as xxl.job.accessToken, in the admin.");
        }
        XxlJobSpringExecutor executor = new XxlJobSpringExecutor();
        executor.setAdminAddresses(properties.getAdminAddresses());
        executor.setAccessToken(properties.getAccessToken());
        executor.setAppname(appName(properties, environment));
        executor.setAddress(properties.getAddress());
        executor.setIp(properties.getIp());
        executor.setPort(properties.getPort());
        executor.setLogPath(properties.getLogPath());
        executor.setLogRetentionDays(properties.getLogRetentionDays());
        return executor;
    }

    /** After the executor, whose bean is a condition; and before it accepts calls, after all beans were created. */
    @Bean
    @ConditionalOnBean({XxlJobExecutor.class, OutboxUnit.class})
    OutboxJobsLifecycle outboxXxlJobs(ObjectProvider<OutboxUnit> units) {
        return new OutboxJobsLifecycle(units.orderedStream().toList());
    }

    private static String appName(OutboxXxlJobProperties properties, Environment environment) {
        String appName = properties.getAppName();
        return appName == null ? environment.getProperty("spring.application.name", "application") : appName;
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnProperty(
            prefix = "outbox.xxl-job",
            name = {"admin-addresses", "username"})
    XxlJobAdmin outboxXxlJobAdmin(OutboxXxlJobProperties properties, Environment environment) {
        return XxlJobAdmin.builder(String.valueOf(properties.getAdminAddresses()), appName(properties, environment))
                .login(
                        String.valueOf(properties.getUsername()),
                        properties.getPassword() == null ? "" : properties.getPassword())
                .accessToken(properties.getAccessToken())
                .api(properties.getAdminApi())
                .build();
    }

    @Bean
    @ConditionalOnBean({XxlJobAdmin.class, OutboxJobsLifecycle.class})
    @ConditionalOnProperty(prefix = "outbox.xxl-job", name = "register", matchIfMissing = true)
    OutboxJobRegistration outboxXxlJobRegistration(
            XxlJobAdmin admin, OutboxXxlJobProperties properties, ObjectProvider<OutboxUnit> units) {
        return new OutboxJobRegistration(
                admin, properties, units.orderedStream().toList());
    }
}
