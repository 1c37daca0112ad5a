package outbox.spring.boot.module;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import outbox.spring.boot.OutboxAutoConfiguration;
import outbox.spring.boot.properties.PropertyGroup;
import outbox.webhook.WebhookClient;

/** Sends events to webhooks, if {@code outbox-webhook} is present and endpoints are configured. */
@AutoConfiguration(before = OutboxAutoConfiguration.class)
@ConditionalOnClass(WebhookClient.class)
@EnableConfigurationProperties(WebhookRouteProperties.class)
@Import(WebhookEndpointRoutes.class)
public class WebhookRouteAutoConfiguration {
    @Bean
    @Lazy // only needed by a delivering outbox
    @ConditionalOnMissingBean
    WebhookClient outboxWebhookClient(WebhookRouteProperties properties) {
        WebhookClient.Builder client = WebhookClient.builder();
        new PropertyGroup("outbox.webhook")
                .give(
                        "allowed-addresses",
                        properties.getAllowedAddresses(),
                        blocks -> client.allowAddresses(blocks.toArray(String[]::new)))
                .give("connect-timeout", properties.getConnectTimeout(), client::connectTimeout);
        if (properties.isAllowHttp()) {
            client.allowHttp();
        }
        return client.build();
    }
}
