package outbox.spring.boot.module;

import java.util.List;
import org.springframework.beans.factory.BeanClassLoaderAware;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import outbox.spring.boot.OutboxAutoConfiguration;
import outbox.spring.boot.properties.OutboxProperties;

/**
 * Fails the startup if properties would have no effect: properties of a missing module, properties that need another
 * one that is not set, and unknown properties.
 */
@AutoConfiguration(before = OutboxAutoConfiguration.class)
public class MissingModulesAutoConfiguration implements BeanClassLoaderAware, InitializingBean {
    private static final List<Part> MODULES = List.of(
            part(
                    "outbox.kafka",
                    "outbox.kafka.KafkaPublisher",
                    "dev.outbox:outbox-kafka",
                    "module.KafkaRouteProperties"),
            part(
                    "outbox.rabbitmq",
                    "outbox.rabbitmq.RabbitPublisher",
                    "dev.outbox:outbox-rabbitmq",
                    "module.RabbitRouteProperties"),
            part(
                    "outbox.messaging",
                    "org.springframework.messaging.MessageChannel",
                    "org.springframework:spring-messaging (spring-boot-starter-integration brings it)",
                    "module.MessagingRouteProperties"),
            part(
                    "outbox.webhook",
                    "outbox.webhook.WebhookClient",
                    "dev.outbox:outbox-webhook",
                    "module.WebhookRouteProperties"),
            part(
                    "outbox.contracts",
                    "outbox.contracts.ContractCheck",
                    "dev.outbox:outbox-contracts",
                    "module.ContractsProperties"),
            part("outbox.cdc", "outbox.cdc.CdcRelay", "dev.outbox:outbox-cdc", "CdcProperties"),
            part(
                    "outbox.encryption",
                    "outbox.encryption.EventEncryption",
                    "dev.outbox:outbox-encryption",
                    "module.EncryptionProperties"),
            part("outbox.inbox", "outbox.inbox.Inbox", "dev.outbox:outbox-inbox", "properties.InboxProperties"),
            part("outbox.alerts", "outbox.alert.AlertChannel", "dev.outbox:outbox-alerts", "AlertProperties"),
            part(
                    "outbox.control-center",
                    "outbox.control.ControlCenter",
                    "dev.outbox:outbox-control-center",
                    "ControlCenterProperties"),
            part(
                    "outbox.idempotency.http",
                    "org.springframework.web.method.HandlerMethod",
                    "org.springframework.boot:spring-boot-starter-web or -webflux",
                    "idempotent.IdempotentHttpProperties"),
            part("outbox.xxl-job", "outbox.xxljob.OutboxJobs", "dev.outbox:outbox-xxl-job", "OutboxXxlJobProperties"),
            part(
                    "outbox.publish-guard",
                    "io.lettuce.core.RedisClient",
                    "io.lettuce:lettuce-core",
                    "module.PublishGuardProperties"));

    private final Environment environment;
    private ClassLoader classLoader = MissingModulesAutoConfiguration.class.getClassLoader();

    MissingModulesAutoConfiguration(Environment environment) {
        this.environment = environment;
    }

    /** @param properties the class that {@code prefix} is bound to, which may need classes of the module */
    private record Part(String prefix, String className, String artifact, String properties) {}

    private static Part part(String prefix, String className, String artifact, String properties) {
        return new Part(prefix, className, artifact, OutboxAutoConfiguration.class.getPackageName() + "." + properties);
    }

    @Override
    public void setBeanClassLoader(ClassLoader classLoader) {
        this.classLoader = classLoader;
    }

    @Override
    public void afterPropertiesSet() {
        for (Part module : MODULES) {
            if (!ClassUtils.isPresent(module.className(), classLoader) && isAskedFor(module.prefix())) {
                throw SettingsThatLeadNowhere.incomplete(
                        environment,
                        module.prefix(),
                        "their module is not on the class path",
                        "Add " + module.artifact() + ", or remove the properties.");
            }
        }
        if (environment.getProperty("outbox.enabled", Boolean.class, true)) {
            refuseUnknown();
            SettingsThatLeadNowhere.refuse(environment);
        }
    }

    private void refuseUnknown() {
        UnknownProperties unknown = new UnknownProperties(environment);
        unknown.read("outbox", OutboxProperties.class);
        for (Part module : MODULES) {
            if (ClassUtils.isPresent(module.className(), classLoader)) {
                unknown.read(module.prefix(), ClassUtils.resolveClassName(module.properties(), classLoader));
            } else {
                unknown.leaveOut(module.prefix());
            }
        }
        unknown.refuse();
    }

    private boolean isAskedFor(String prefix) {
        return environment.getProperty(prefix + ".enabled", Boolean.class, true)
                && Binder.get(environment)
                        .bind(prefix, Bindable.mapOf(String.class, Object.class))
                        .isBound();
    }
}
