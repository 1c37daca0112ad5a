package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventHandler;
import outbox.spring.boot.tests.Apps.OrderPlaced;
import outbox.spring.boot.tests.Apps.Plain;

/** The end of an application: requests first, then events, the pool last. */
class ShutdownTest {
    private static final CountDownLatch requestIsIn = new CountDownLatch(1);
    private static final CountDownLatch shutdownBegan = new CountDownLatch(1);
    private static final CompletableFuture<Integer> handled = new CompletableFuture<>();

    @Configuration(proxyBeanMethods = false)
    @Import({Plain.class, Orders.class, Late.class})
    static class Shop {}

    @RestController
    static class Orders {
        private final DomainEventPublisher events;

        Orders(DomainEventPublisher events) {
            this.events = events;
        }

        @GetMapping("/order")
        @Transactional
        public String order() throws InterruptedException {
            requestIsIn.countDown();
            shutdownBegan.await();
            events.publish(new OrderPlaced("last"));
            return "placed";
        }
    }

    static class Late {
        private final JdbcTemplate jdbc;

        Late(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @EventHandler
        void on(OrderPlaced event) {
            try {
                handled.complete(jdbc.queryForObject("SELECT COUNT(*) FROM outbox_event", Integer.class));
            } catch (RuntimeException e) {
                handled.completeExceptionally(e);
            }
        }
    }

    @Test
    void whatTheLastRequestWroteIsDeliveredWhileThePoolIsOpen() throws Exception {
        ConfigurableApplicationContext context = SpringApplication.run(
                Shop.class,
                "--server.port=0",
                "--server.address=127.0.0.1",
                "--server.shutdown=graceful",
                "--outbox.dispatch.drain-timeout=60s",
                "--spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID());
        String url = "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port") + "/order";
        CompletableFuture<HttpResponse<String>> answer = HttpClient.newHttpClient()
                .sendAsync(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
        requestIsIn.await();

        Thread closing = new Thread(context::close);
        closing.start();
        await().atMost(Duration.ofSeconds(60)).until(() -> !accepts(url)); // the server takes no more requests
        shutdownBegan.countDown();
        closing.join();

        assertThat(answer.join().body()).isEqualTo("placed");
        assertThat(handled).isCompletedWithValue(1);
    }

    private static boolean accepts(String url) {
        URI address = URI.create(url);
        try (java.net.Socket socket = new java.net.Socket(address.getHost(), address.getPort())) {
            return socket.isConnected();
        } catch (java.io.IOException e) {
            return false;
        }
    }
}
