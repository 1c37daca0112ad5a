package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.Table;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import outbox.domain.DomainEventPublisher;
import outbox.idempotency.http.Idempotent;
import outbox.spring.boot.tests.Apps.OrderPlaced;

/** An idempotent controller with JPA and its open session in view: entities, events and answers are committed together. */
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {
            "spring.datasource.generate-unique-name=true",
            "spring.jpa.hibernate.ddl-auto=create",
            "spring.jpa.open-in-view=true",
            "outbox.mode=writer-only"
        })
class IdempotentControllerTest {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Orders.class, Controller.class})
    static class Shop {}

    @Entity
    @Table(name = "ordered")
    static class Ordered {
        @Id
        String id;
    }

    @Service
    static class Orders {
        @PersistenceContext
        EntityManager entities;

        @Autowired
        DomainEventPublisher events;

        @Transactional
        public void place(String id) {
            Ordered ordered = new Ordered();
            ordered.id = id; // written at the commit, where it may be refused
            entities.persist(ordered);
            events.publish(new OrderPlaced(id));
        }
    }

    static class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @RestController
    static class Controller {
        @Autowired
        Orders orders;

        @PostMapping("/orders/{id}")
        @Idempotent
        ResponseEntity<String> place(@PathVariable String id) {
            orders.place(id);
            return ResponseEntity.status(HttpStatus.CREATED).body("placed " + UUID.randomUUID());
        }

        @PostMapping("/refused/{id}")
        @Idempotent
        ResponseEntity<String> refuse(@PathVariable String id) {
            orders.place(id);
            throw new Refused();
        }

        @ExceptionHandler(Refused.class)
        @ResponseStatus(HttpStatus.PAYMENT_REQUIRED)
        String refused() {
            return "refused " + UUID.randomUUID();
        }
    }

    @Value("${local.server.port}")
    int port;

    @Autowired
    JdbcTemplate jdbc;

    private HttpResponse<String> post(String path, String key) throws Exception {
        return HTTP.send(
                HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                        .header("Idempotency-Key", key)
                        .POST(BodyPublishers.noBody())
                        .build(),
                BodyHandlers.ofString());
    }

    private int count(String sql, String id) {
        Integer count = jdbc.queryForObject("SELECT COUNT(*) FROM " + sql, Integer.class, id);
        return count == null ? 0 : count;
    }

    private int orders(String id) {
        return count("ordered WHERE id = ?", id);
    }

    private int events(String id) {
        return count("outbox_event WHERE payload LIKE '%' || ? || '%'", id);
    }

    @Test
    void entityEventAndAnswerAreCommittedOnce() throws Exception {
        String id = UUID.randomUUID().toString();

        HttpResponse<String> first = post("/orders/" + id, "k" + id);
        HttpResponse<String> again = post("/orders/" + id, "k" + id);

        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(again.statusCode()).isEqualTo(201);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(again.headers().firstValue("Idempotent-Replayed")).contains("true");
        assertThat(orders(id)).isEqualTo(1);
        assertThat(events(id)).isEqualTo(1);
    }

    @Test
    void whatTheDatabaseRefusesAtTheCommitLeavesNeitherEventNorAnswer() throws Exception {
        String id = UUID.randomUUID().toString();
        jdbc.update("INSERT INTO ordered (id) VALUES (?)", id);

        assertThat(post("/orders/" + id, "k" + id).statusCode()).isEqualTo(500);
        assertThat(events(id)).isZero();

        jdbc.update("DELETE FROM ordered WHERE id = ?", id);
        HttpResponse<String> again = post("/orders/" + id, "k" + id);
        assertThat(again.statusCode()).isEqualTo(201);
        assertThat(again.headers().firstValue("Idempotent-Replayed")).isEmpty();
        assertThat(events(id)).isEqualTo(1);
    }

    @Test
    void anExceptionRollsBackAndItsAnswerIsKept() throws Exception {
        String id = UUID.randomUUID().toString();

        HttpResponse<String> first = post("/refused/" + id, "k" + id);
        HttpResponse<String> again = post("/refused/" + id, "k" + id);

        assertThat(first.statusCode()).isEqualTo(402);
        assertThat(again.statusCode()).isEqualTo(402);
        assertThat(again.body()).isEqualTo(first.body()).startsWith("refused ");
        assertThat(orders(id)).isZero();
        assertThat(events(id)).isZero();
    }
}
