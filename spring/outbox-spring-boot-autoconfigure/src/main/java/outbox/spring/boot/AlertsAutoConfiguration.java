package outbox.spring.boot;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import outbox.alert.AlertChannel;
import outbox.alert.AlertChannels;
import outbox.alert.FailedEventNotice;
import outbox.spring.boot.AlertProperties.DingTalk;
import outbox.spring.boot.AlertProperties.Webhook;
import outbox.spring.boot.properties.PropertyGroup;
import outbox.spring.boot.properties.RefusedSettingsException;
import outbox.webhook.WebhookClient;
import outbox.webhook.WebhookSecret;

/** Alerts about dead events and open circuit breakers to the channels of {@code outbox.alerts.*} and to {@link AlertChannel} beans. */
@AutoConfiguration
@ConditionalOnClass(AlertChannel.class)
@ConditionalOnProperty(
        name = {"outbox.enabled", "outbox.alerts.enabled"},
        matchIfMissing = true)
@EnableConfigurationProperties(AlertProperties.class)
public class AlertsAutoConfiguration {
    private static final Logger LOG = System.getLogger(AlertsAutoConfiguration.class.getName());
    /** Finds what is wrong with single properties, which is more exact than what is said here. */
    private static final String CHECKS = "outbox.spring.boot.module.MissingModulesAutoConfiguration";

    @Bean
    @Conditional(IsAskedFor.class)
    ChannelAlerts outboxAlerts(AlertProperties properties, ListableBeanFactory beans, Environment environment) {
        if (beans.containsBean(CHECKS)) {
            beans.getBean(CHECKS);
        }
        WebhookClient client = client(properties);
        Map<String, AlertChannel> channels = channels(properties, new AlertChannels(client), beans);
        if (channels.isEmpty()) {
            client.close();
            throw new RefusedSettingsException(
                    "there are properties outbox.alerts.*, but no channel, so no alert would be sent",
                    "Set outbox.alerts.dingtalk.webhook, .feishu.webhook, .wecom.webhook, .slack.webhook, .webhook.url or"
                            + " .mail.to, define an AlertChannel bean, or set outbox.alerts.enabled=false.");
        }
        LOG.log(
                Level.INFO,
                "alerts about dead events and open circuit breakers go to " + String.join(", ", channels.keySet()));
        String application = properties.getApplication() == null
                ? environment.getProperty("spring.application.name", "outbox")
                : properties.getApplication();
        InstantSource own = OwnBean.of(beans, InstantSource.class);
        InstantSource clock = own == null ? InstantSource.system() : own;
        return new ChannelAlerts(
                application,
                List.copyOf(channels.values()),
                new FailedEventAlerts(channels.values().stream()
                        .map(channel -> new PropertyGroup("outbox.alerts")
                                .make(
                                        "reminder",
                                        properties.getReminder(),
                                        reminder -> new FailedEventNotice(application, channel, reminder, clock)))
                        .toList()),
                (title, channel) -> new BreakerNotice(title, channel, properties.getReminder(), clock),
                client);
    }

    private static WebhookClient client(AlertProperties properties) {
        WebhookClient.Builder client = WebhookClient.builder();
        new PropertyGroup("outbox.alerts")
                .give(
                        "allowed-addresses",
                        properties.getAllowedAddresses(),
                        blocks -> client.allowAddresses(blocks.toArray(String[]::new)));
        return properties.isAllowHttp() ? client.allowHttp().build() : client.build();
    }

    /** By the name that the log shows. */
    private static Map<String, AlertChannel> channels(
            AlertProperties properties, AlertChannels http, ListableBeanFactory beans) {
        Map<String, AlertChannel> channels = new LinkedHashMap<>();
        DingTalk dingTalk = properties.getDingtalk();
        Webhook webhook = properties.getWebhook();
        List<String> to = properties.getMail().getTo();
        add(
                channels,
                "dingtalk",
                dingTalk.getWebhook(),
                url -> http.dingTalk(url, dingTalk.getSecret(), dingTalk.mentions()));
        add(
                channels,
                "feishu",
                properties.getFeishu().getWebhook(),
                url -> http.feishu(url, properties.getFeishu().getSecret()));
        add(
                channels,
                "wecom",
                properties.getWecom().getWebhook(),
                url -> http.weCom(url, properties.getWecom().mentions()));
        add(channels, "slack", properties.getSlack().getWebhook(), http::slack);
        add(
                channels,
                "webhook",
                webhook.getUrl(),
                url -> http.webhook(url, WebhookSecret.parse(String.valueOf(webhook.getSecret()))));
        if (!to.isEmpty()) {
            channels.put(
                    "mail",
                    new AlertMail("outbox.alerts.mail", properties.getMail(), beans)
                            .server()
                            .apply(to));
        }
        beans.getBeansOfType(AlertChannel.class).forEach((name, channel) -> channels.put("bean " + name, channel));
        return channels;
    }

    private static void add(
            Map<String, AlertChannel> channels, String kind, @Nullable String url, Function<URI, AlertChannel> maker) {
        if (url != null && !url.isBlank()) {
            channels.put(kind, new PropertyGroup("outbox.alerts." + kind).build(() -> maker.apply(uri(url.strip()))));
        }
    }

    private static URI uri(String url) {
        try {
            return new URI(url);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("this is not a URL"); // without the URL, which may contain a secret
        }
    }

    /** Settings, or a bean of the application. */
    static final class IsAskedFor extends AnyNestedCondition {
        IsAskedFor() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @Conditional(HasSettings.class)
        static class BySettings {}

        @ConditionalOnBean(AlertChannel.class)
        static class ByBean {}
    }

    /** Whether there is any property {@code outbox.alerts.*}. */
    static final class HasSettings implements Condition {
        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return Binder.get(context.getEnvironment())
                    .bind("outbox.alerts", Bindable.mapOf(String.class, Object.class))
                    .isBound();
        }
    }
}
