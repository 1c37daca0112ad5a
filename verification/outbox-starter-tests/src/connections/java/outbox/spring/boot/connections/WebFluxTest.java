package outbox.spring.boot.connections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import outbox.domain.DomainEvent;
import outbox.domain.DomainEventPublisher;
import outbox.domain.EventName;
import outbox.domain.handler.EventHandler;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A reactive application: Netty, and no servlet API on the class path. Its JDBC work runs on the threads for it. */
class WebFluxTest {
    @EventName("reactive.order.placed")
    record OrderPlaced(String eventId, Instant occurredAt, String orderId) implements DomainEvent {}

    @RestController
    static class Orders {
        private final DomainEventPublisher events;
        private final TransactionTemplate transactions;
        final List<String> handled = new CopyOnWriteArrayList<>();

        Orders(DomainEventPublisher events, PlatformTransactionManager manager) {
            this.events = events;
            this.transactions = new TransactionTemplate(manager);
        }

        @PostMapping("/orders")
        Mono<String> place() {
            return Mono.fromCallable(() -> {
                        String id = UUID.randomUUID().toString();
                        transactions.executeWithoutResult(
                                status -> events.publish(new OrderPlaced(DomainEvent.newId(), Instant.now(), id)));
                        return id;
                    })
                    .subscribeOn(Schedulers.boundedElastic());
        }

        @EventHandler(name = "orders")
        void on(OrderPlaced event) {
            handled.add(event.orderId());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Reactive {
        @Bean
        Orders orders(DomainEventPublisher events, PlatformTransactionManager manager) {
            return new Orders(events, manager);
        }
    }

    private static HttpResponse<String> send(ConfigurableApplicationContext to, String method, String path)
            throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + to.getEnvironment().getProperty("local.server.port") + path);
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(uri)
                                .method(method, HttpRequest.BodyPublishers.noBody())
                                .build(),
                        BodyHandlers.ofString());
    }

    @Test
    void eventsAreDeliveredAndTheActuatorShowsThem() throws Exception {
        assertThat(ClassUtils.isPresent("jakarta.servlet.Servlet", getClass().getClassLoader()))
                .isFalse();
        try (ConfigurableApplicationContext shop = SpringApplication.run(
                Reactive.class,
                "--spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
                "--server.port=0",
                "--server.address=127.0.0.1",
                "--management.health.redis.enabled=false",
                "--management.health.rabbit.enabled=false",
                "--management.health.mail.enabled=false",
                "--management.endpoint.health.show-details=always",
                "--management.endpoints.web.exposure.include=health,outbox")) {
            HttpResponse<String> placed = send(shop, "POST", "/orders");
            assertThat(placed.statusCode()).isEqualTo(200);

            await().untilAsserted(
                            () -> assertThat(shop.getBean(Orders.class).handled).containsExactly(placed.body()));
            assertThat(send(shop, "GET", "/actuator/health").body()).contains("\"outbox\":{", "\"status\":\"UP\"");
            await().untilAsserted(() -> assertThat(send(shop, "GET", "/actuator/outbox/events?status=done")
                            .body())
                    .contains("reactive.order.placed"));
        }
    }
}
