package outbox.spring.boot.module;

import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ClassUtils;
import outbox.domain.handler.EventRoute;
import outbox.node.JdbcWebhookSecrets;
import outbox.spring.boot.module.WebhookRouteProperties.Endpoint;
import outbox.spring.boot.properties.PropertyGroup;
import outbox.spring.boot.properties.RefusedSettingsException;
import outbox.webhook.WebhookClient;
import outbox.webhook.WebhookEndpoint;
import outbox.webhook.WebhookPublisher;
import outbox.webhook.WebhookSecret;

/**
 * Creates the publisher and the route of each endpoint in {@code outbox.webhook.endpoints.*}. {@link
 * WebhookEndpointRoutes} refers to these methods by name in bean definitions, for ahead-of-time processing.
 */
final class WebhookRouteFactory {
    private static final boolean CAN_ROTATE =
            ClassUtils.isPresent("outbox.node.JdbcWebhookSecrets", WebhookRouteFactory.class.getClassLoader());

    private final BeanFactory beans;

    WebhookRouteFactory(BeanFactory beans) {
        this.beans = beans;
    }

    WebhookPublisher publisher(String name) {
        WebhookClient client = beans.getBean(WebhookClient.class);
        PropertyGroup group = group(name);
        return group.build(() -> client.publisher(endpoint(name, settings(name), group)));
    }

    private static PropertyGroup group(String name) {
        return new PropertyGroup("outbox.webhook.endpoints." + name);
    }

    EventRoute route(String name) {
        WebhookPublisher publisher = beans.getBean(WebhookEndpointRoutes.PUBLISHER + name, WebhookPublisher.class);
        return settings(name).route("webhook-" + name, group(name), publisher.controlled());
    }

    private Endpoint settings(String name) {
        return Objects.requireNonNull(
                beans.getBean(WebhookRouteProperties.class).getEndpoints().get(name));
    }

    private WebhookEndpoint endpoint(String name, Endpoint settings, PropertyGroup group) {
        if (settings.getUrl() == null) {
            throw new RefusedSettingsException(
                    group.prefix() + ".url is not set", "Set it to the address of the endpoint.");
        }
        if (settings.getSecrets().isEmpty()) {
            throw new RefusedSettingsException(
                    group.prefix() + ".secrets is not set, and unsigned requests are not sent",
                    "Set it to the secret that the receiver checks signatures with.");
        }
        WebhookEndpoint.Builder endpoint = WebhookEndpoint.builder(name, settings.getUrl())
                .secretSource(secrets(
                        beans,
                        name,
                        settings.getSecrets().stream().map(WebhookSecret::parse).toArray(WebhookSecret[]::new)))
                .tenants(settings.getTenants().toArray(String[]::new))
                .body(settings.getBody());
        group.give("event-types", settings.getEventTypes(), types -> endpoint.eventTypes(types.toArray(String[]::new)))
                .give(
                        "forward-headers",
                        settings.getForwardHeaders(),
                        names -> endpoint.forwardHeaders(names.toArray(String[]::new)))
                .give("timeout", settings.getTimeout(), endpoint::timeout)
                .give("concurrency", settings.getConcurrency(), endpoint::concurrency)
                .give("rate-per-second", settings.getRatePerSecond(), endpoint::ratePerSecond)
                .give(
                        "breaker-failures",
                        settings.getBreakerFailures(),
                        failures -> endpoint.circuitBreaker(failures, WebhookEndpoint.DEFAULT_BREAKER_PAUSE))
                .give(
                        "breaker-pause",
                        settings.getBreakerPause(),
                        pause -> endpoint.circuitBreaker(settings.getBreakerFailures(), pause))
                .give("cloud-events-source", settings.getCloudEventsSource(), endpoint::cloudEventsSource);
        settings.getHeaders().forEach(endpoint::header);
        return endpoint.build();
    }

    private static Supplier<List<WebhookSecret>> secrets(BeanFactory beans, String name, WebhookSecret... configured) {
        return CAN_ROTATE ? Rotated.secrets(beans, name, configured) : () -> List.of(configured);
    }

    /** Loaded only with {@code outbox-control-center}. */
    private static final class Rotated {
        static Supplier<List<WebhookSecret>> secrets(BeanFactory beans, String name, WebhookSecret... configured) {
            JdbcWebhookSecrets kept =
                    beans.getBeanProvider(JdbcWebhookSecrets.class).getIfUnique();
            return kept == null ? () -> List.of(configured) : kept.of(name, configured);
        }
    }
}
