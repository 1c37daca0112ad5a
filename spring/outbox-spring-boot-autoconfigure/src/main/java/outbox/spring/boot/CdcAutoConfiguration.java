package outbox.spring.boot;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import outbox.cdc.CdcRelay;
import outbox.cdc.CdcRelayBuilder;
import outbox.cdc.JdbcDeadLetters;
import outbox.dispatch.EventInterceptor;
import outbox.spi.FailureListener;
import outbox.spring.boot.properties.OutboxProperties;
import outbox.spring.boot.properties.PropertyGroup;
import outbox.spring.boot.properties.RefusedSettingsException;

/** Delivers events by CDC, if {@code outbox-cdc} is on the class path and enabled. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnClass(CdcRelay.class)
@ConditionalOnProperty(prefix = "outbox.cdc", name = "enabled", havingValue = "true")
@ConditionalOnBean(OutboxUnit.class)
@EnableConfigurationProperties(CdcProperties.class)
public class CdcAutoConfiguration {
    @Bean(destroyMethod = "") // its lifecycle closes it, before the handlers
    @ConditionalOnMissingBean
    CdcRelay outboxCdcRelay(
            OutboxUnit unit, CdcProperties properties, ListableBeanFactory beans, Environment environment) {
        OutboxUnit.Parts parts = unit.parts();
        DataSourceUser user = properties.getUsername() != null
                ? new DataSourceUser(
                        properties.getUsername(), properties.getPassword() == null ? "" : properties.getPassword())
                : DataSourceUser.of(parts.dataSource(), environment);
        CdcRelayBuilder relay = CdcRelay.reading(
                        properties.getUrl() == null ? urlOf(parts.dataSource()) : properties.getUrl(),
                        user.name(),
                        properties.getPassword() == null ? user.password() : properties.getPassword())
                .table(parts.store().tableName())
                .listeners(parts.handlerSetup().listeners())
                .startFrom(properties.getStartFrom())
                .retry(properties.getRetry().getPreset())
                .timeLimit(beans.getBean(OutboxProperties.class).getDispatch().getTimeLimit())
                .metrics(parts.metrics());
        PropertyGroup group = new PropertyGroup("outbox.cdc")
                .give("name", properties.getName(), relay::name)
                .give("workers", properties.getWorkers(), relay::workerCount)
                .give("batch-size", properties.getBatchSize(), relay::batchSize)
                .give("heartbeat", properties.getHeartbeat(), relay::heartbeat)
                .give("retry-interval", properties.getRetryInterval(), relay::retryInterval)
                .give(
                        "warn-above-retained",
                        properties.getWarnAboveRetained(),
                        size -> relay.warnAboveRetainedBytes(size.toBytes()));
        if (properties.isDeadLetters()) {
            relay.deadLetters(new JdbcDeadLetters(parts.connections()));
        }
        relay.seal(parts.seal());
        FailureListener failures = FailureListeners.of(beans, unit.name(), parts.dataSource());
        if (failures != null) {
            relay.failureListener(failures);
        }
        beans.getBeanProvider(EventInterceptor.class).orderedStream().forEach(relay::interceptor);
        return group.build(() -> {
            properties.getDebezium().forEach(relay::debezium);
            return relay.build();
        });
    }

    private static String urlOf(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            return connection.getMetaData().getURL();
        } catch (SQLException e) {
            throw new RefusedSettingsException(
                    "the URL of the data source cannot be determined", "Set outbox.cdc.url.", e);
        }
    }

    @Bean
    CdcRelayLifecycle outboxCdcRelayLifecycle(CdcRelay relay, OutboxProperties outbox) {
        return new CdcRelayLifecycle(relay, outbox.isAutoStartup());
    }
}
