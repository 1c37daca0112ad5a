package outbox.spring.boot.module;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.BodyExtractors;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import outbox.inbox.Inbox;
import outbox.inbox.webhook.WebhookAnswer;
import outbox.inbox.webhook.WebhookReceiver;
import outbox.inbox.webhook.WebhookServlet;
import outbox.spring.boot.InboxAutoConfiguration;
import outbox.spring.boot.properties.InboxProperties;
import outbox.spring.boot.properties.InboxWebhookProperties;
import outbox.spring.boot.properties.PropertyGroup;
import outbox.spring.boot.properties.RefusedSettingsException;
import outbox.webhook.WebhookSecret;
import outbox.webhook.WebhookVerifier;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Webhooks, for groups with a path, in servlet and reactive applications. */
@AutoConfiguration(after = InboxAutoConfiguration.class)
@ConditionalOnClass(value = Inbox.class, name = "outbox.webhook.WebhookVerifier")
@ConditionalOnBean(Inbox.class)
@Conditional(InboxWebhookAutoConfiguration.HasPath.class)
public class InboxWebhookAutoConfiguration {
    static final class HasPath extends InboxGroups.Exists {
        HasPath() {
            super(group -> group.getWebhook().getPath() != null);
        }
    }

    private static Map<String, WebhookReceiver> receivers(BeanFactory beans, InboxProperties inboxes) {
        Map<String, WebhookReceiver> byPath = new LinkedHashMap<>();
        inboxes.getGroups().forEach((group, properties) -> {
            InboxWebhookProperties webhook = properties.getWebhook();
            String path = webhook.getPath();
            if (path != null && byPath.put(path, receiver(beans, group, webhook)) != null) {
                throw new RefusedSettingsException(
                        "two groups of outbox.inbox.groups receive webhooks at " + path,
                        "Set outbox.inbox.groups." + group + ".webhook.path to another one.");
            }
        });
        return byPath;
    }

    private static WebhookReceiver receiver(BeanFactory beans, String group, InboxWebhookProperties webhook) {
        PropertyGroup properties = new PropertyGroup("outbox.inbox.groups." + group + ".webhook");
        if (webhook.getSecrets().isEmpty()) {
            throw new RefusedSettingsException(
                    properties.prefix() + ".path is set, but " + properties.prefix()
                            + ".secrets is not: a webhook without a signature could come from anybody",
                    "Set the secrets.");
        }
        WebhookVerifier verifier = properties.build(() -> WebhookVerifier.of(
                        webhook.getSecrets().stream().map(WebhookSecret::parse).toArray(WebhookSecret[]::new))
                .withTolerance(webhook.getTolerance()));
        WebhookReceiver receiver = WebhookReceiver.of(InboxGroups.inboxOf(beans, group), verifier)
                .withSource(String.valueOf(webhook.getPath()))
                .withType(webhook.getType());
        return properties.make("max-pending", webhook.getMaxPending(), receiver::withMaxPending);
    }

    /** One servlet for all paths. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    static class OfServlets {
        @Bean
        ServletRegistrationBean<HttpServlet> outboxInboxWebhooks(BeanFactory beans, InboxProperties inboxes) {
            Map<String, WebhookServlet> byPath = new LinkedHashMap<>();
            receivers(beans, inboxes).forEach((path, receiver) -> byPath.put(path, new WebhookServlet(receiver)));
            ServletRegistrationBean<HttpServlet> servlet = new ServletRegistrationBean<>(
                    new ByPath(byPath), byPath.keySet().toArray(String[]::new));
            servlet.setName("outboxInboxWebhooks");
            return servlet;
        }

        private static final class ByPath extends HttpServlet {
            private static final long serialVersionUID = 1L;

            private final transient Map<String, WebhookServlet> byPath;

            ByPath(Map<String, WebhookServlet> byPath) {
                this.byPath = byPath;
            }

            @Override
            protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
                try {
                    Objects.requireNonNull(byPath.get(request.getServletPath())).service(request, response);
                } catch (jakarta.servlet.ServletException e) {
                    throw new IOException(e);
                }
            }
        }
    }

    /** One route for each path. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    static class OfRoutes {
        @Bean
        RouterFunction<ServerResponse> outboxInboxWebhooks(BeanFactory beans, InboxProperties inboxes) {
            RouterFunctions.Builder routes = RouterFunctions.route();
            receivers(beans, inboxes)
                    .forEach((path, receiver) -> routes.POST(path, request -> receive(receiver, request)));
            return routes.build();
        }

        private static Mono<ServerResponse> receive(WebhookReceiver receiver, ServerRequest request) {
            return DataBufferUtils.join(request.body(BodyExtractors.toDataBuffers()), WebhookReceiver.MAX_BODY_BYTES)
                    .map(OfRoutes::bytesOf)
                    .defaultIfEmpty(new byte[0])
                    .onErrorReturn(DataBufferLimitException.class, new byte[WebhookReceiver.MAX_BODY_BYTES + 1])
                    .publishOn(Schedulers.boundedElastic())
                    .map(body -> receiver.receive(name -> request.headers().firstHeader(name), body))
                    .flatMap(OfRoutes::response);
        }

        private static byte[] bytesOf(DataBuffer buffer) {
            byte[] bytes = new byte[buffer.readableByteCount()];
            buffer.read(bytes);
            DataBufferUtils.release(buffer);
            return bytes;
        }

        private static Mono<ServerResponse> response(WebhookAnswer answer) {
            ServerResponse.BodyBuilder response =
                    ServerResponse.status(answer.status()).contentType(MediaType.TEXT_PLAIN);
            if (answer.retryAfterSeconds() > 0) {
                response.header("Retry-After", Integer.toString(answer.retryAfterSeconds()));
            }
            return response.bodyValue(answer.body());
        }
    }
}
