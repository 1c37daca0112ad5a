package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import outbox.NoActiveTransactionException;
import outbox.OutboxWriter;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventHandler;
import outbox.spring.boot.tests.Apps.OrderPlaced;

/** One dependency and a data source, and events flow. */
@SpringBootTest(properties = "spring.datasource.generate-unique-name=true")
class DeliveryTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Orders.class, Mailer.class})
    static class Shop {
        @Bean
        List<String> unrelated() {
            return List.of();
        }
    }

    @Service
    static class Orders {
        private final JdbcTemplate jdbc;
        private final DomainEventPublisher events;

        Orders(JdbcTemplate jdbc, DomainEventPublisher events) {
            this.jdbc = jdbc;
            this.events = events;
            jdbc.execute("CREATE TABLE IF NOT EXISTS orders (id VARCHAR(20) PRIMARY KEY)");
        }

        @Transactional
        public void place(String id, boolean fail) {
            jdbc.update("INSERT INTO orders VALUES (?)", id);
            events.publish(new OrderPlaced(id));
            if (fail) {
                throw new IllegalStateException("no");
            }
        }
    }

    static class Mailer {
        final List<String> mails = new CopyOnWriteArrayList<>();

        /** A handler that publishes closes the circle of beans. */
        Mailer(DomainEventPublisher events) {
            assertThat(events).isNotNull();
        }

        @EventHandler
        void on(OrderPlaced event) {
            mails.add(event.orderId());
        }
    }

    @Autowired
    Orders orders;

    @Autowired
    Mailer mailer;

    @Autowired
    JdbcTemplate jdbc;

    @Autowired
    OutboxWriter writer;

    @Test
    void committedEventReachesItsHandler() {
        orders.place("1", false);

        await().atMost(PATIENCE).untilAsserted(() -> assertThat(mailer.mails).contains("1"));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(jdbc.queryForObject(
                                "SELECT COUNT(*) FROM outbox_event WHERE status = 1", Integer.class))
                        .isPositive());
    }

    @Test
    void rolledBackEventDoesNotExist() {
        assertThatThrownBy(() -> orders.place("2", true)).hasMessage("no");

        assertThat(jdbc.queryForObject("SELECT COUNT(*) FROM orders WHERE id = '2'", Integer.class))
                .isZero();
        assertThat(jdbc.queryForObject(
                        "SELECT COUNT(*) FROM outbox_event WHERE CAST(payload AS VARCHAR) LIKE '%\"2\"%'",
                        Integer.class))
                .isZero();
    }

    @Test
    void writingWithoutTransactionIsRefused() {
        assertThatThrownBy(() -> writer.write("order.placed", "{}"))
                .isInstanceOf(NoActiveTransactionException.class)
                .hasMessageContaining("put @Transactional on the method");
    }
}
