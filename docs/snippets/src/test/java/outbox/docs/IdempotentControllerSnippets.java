package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import outbox.idempotency.http.Idempotent;

class IdempotentControllerSnippets {
    record NewPayment(int cents) {}

    record Payment(String id, int cents) {}

    record Shipment(String id, String order) {}

    static class PaymentService {
        @Transactional
        public Payment pay(NewPayment wanted) {
            return new Payment(UUID.randomUUID().toString(), wanted.cents());
        }
    }

    static class ShipmentService {
        @Transactional
        public Shipment ship(String order) {
            return new Shipment(UUID.randomUUID().toString(), order);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({PaymentService.class, Payments.class, Shipments.class})
    static class Application {}

    // snippet: controller
    @RestController
    static class Payments {
        private final PaymentService service;

        Payments(PaymentService service) {
            this.service = service;
        }

        @PostMapping("/payments")
        @Idempotent
        ResponseEntity<Payment> pay(@RequestBody NewPayment wanted) {
            Payment payment = service.pay(wanted);
            return ResponseEntity.created(URI.create("/payments/" + payment.id()))
                    .body(payment);
        }
    }
    // end

    @RestController
    static class Shipments {
        private final ShipmentService service = new ShipmentService();

        // snippet: settings
        @PostMapping("/orders/{order}/shipments")
        @Idempotent(
                key = "path('order')",
                scope = "shipping",
                tenant = "header('X-Tenant')",
                ttl = "${shipping.ttl:7d}")
        Shipment ship(@PathVariable String order) {
            return service.ship(order);
        }
        // end
    }

    @Test
    void repeatedRequestsGetTheStoredAnswer() throws Exception {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.SERVLET)
                .run(
                        "--server.port=0",
                        "--spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
                        "--outbox.mode=writer-only",
                        "--outbox.events.packages=outbox.docs.none",
                        "--outbox.contracts.enabled=false",
                        "--outbox.encryption.enabled=false",
                        "--outbox.control-center.enabled=false")) {
            String base = "http://localhost:" + context.getEnvironment().getRequiredProperty("local.server.port");
            HttpRequest pay = HttpRequest.newBuilder(URI.create(base + "/payments"))
                    .header("Idempotency-Key", UUID.randomUUID().toString())
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString("{\"cents\": 500}"))
                    .build();
            HttpRequest ship = HttpRequest.newBuilder(URI.create(base + "/orders/o-1/shipments"))
                    .header("X-Tenant", "acme")
                    .POST(BodyPublishers.noBody())
                    .build();
            for (HttpRequest request : new HttpRequest[] {pay, ship}) {
                HttpClient http = HttpClient.newHttpClient();
                HttpResponse<String> first = http.send(request, BodyHandlers.ofString());
                HttpResponse<String> again = http.send(request, BodyHandlers.ofString());
                assertThat(first.statusCode()).isIn(200, 201);
                assertThat(again.statusCode()).isEqualTo(first.statusCode());
                assertThat(again.body()).isEqualTo(first.body());
                assertThat(again.headers().firstValue("Location"))
                        .isEqualTo(first.headers().firstValue("Location"));
            }
        }
    }
}
