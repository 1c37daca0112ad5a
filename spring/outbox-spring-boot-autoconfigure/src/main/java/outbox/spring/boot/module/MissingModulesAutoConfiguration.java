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

/**
 * Properties of a module that is not there, or that lack one they need, would do nothing, and nobody would notice: the
 * application does not start.
 */
@AutoConfiguration(before = OutboxAutoConfiguration.class)
public class MissingModulesAutoConfiguration implements BeanClassLoaderAware, InitializingBean {
    private static final List<Part> MODULES = List.of(
            new Part("outbox.kafka", "outbox.kafka.KafkaPublisher", "dev.outbox:outbox-kafka"),
            new Part("outbox.rabbitmq", "outbox.rabbitmq.RabbitPublisher", "dev.outbox:outbox-rabbitmq"),
            new Part("outbox.webhook", "outbox.webhook.WebhookClient", "dev.outbox:outbox-webhook"),
            new Part("outbox.contracts", "outbox.contracts.ContractCheck", "dev.outbox:outbox-contracts"),
            new Part("outbox.cdc", "outbox.cdc.CdcRelay", "dev.outbox:outbox-cdc"),
            new Part("outbox.encryption", "outbox.encryption.EventEncryption", "dev.outbox:outbox-encryption"),
            new Part("outbox.control-center", "outbox.control.ControlCenter", "dev.outbox:outbox-control-center"),
            new Part("outbox.xxl-job", "outbox.xxljob.OutboxJobs", "dev.outbox:outbox-xxl-job"),
            new Part("outbox.guard", "io.lettuce.core.RedisClient", "io.lettuce:lettuce-core"));

    private final Environment environment;
    private ClassLoader classLoader = MissingModulesAutoConfiguration.class.getClassLoader();

    MissingModulesAutoConfiguration(Environment environment) {
        this.environment = environment;
    }

    private record Part(String prefix, String className, String artifact) {}

    @Override
    public void setBeanClassLoader(ClassLoader classLoader) {
        this.classLoader = classLoader;
    }

    @Override
    public void afterPropertiesSet() {
        for (Part module : MODULES) {
            if (!ClassUtils.isPresent(module.className(), classLoader) && isAskedFor(module.prefix())) {
                throw new IllegalStateException("there are properties " + module.prefix() + ".*, but what they are for"
                        + " is not on the class path: add " + module.artifact() + ", or take the properties away");
            }
        }
        if (environment.getProperty("outbox.enabled", Boolean.class, true)) {
            SettingsThatLeadNowhere.refuse(environment);
        }
    }

    private boolean isAskedFor(String prefix) {
        return environment.getProperty(prefix + ".enabled", Boolean.class, true)
                && Binder.get(environment)
                        .bind(prefix, Bindable.mapOf(String.class, Object.class))
                        .isBound();
    }
}
