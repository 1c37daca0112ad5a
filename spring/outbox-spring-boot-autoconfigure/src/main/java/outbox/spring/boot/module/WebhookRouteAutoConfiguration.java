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

/** Events to webhooks, where {@code outbox-webhook} is there and endpoints are named. */
@AutoConfiguration(before = OutboxAutoConfiguration.class)
@ConditionalOnClass(WebhookClient.class)
@EnableConfigurationProperties(WebhookRouteProperties.class)
@Import(WebhookEndpointRoutes.class)
public class WebhookRouteAutoConfiguration {
    @Bean
    @Lazy // only an outbox that delivers needs it
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
