package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.inTransaction;

import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.Outbox;
import outbox.OutboxWriter;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.spring.boot.tests.Apps.OrderPlaced;
import outbox.spring.boot.tests.Apps.Plain;

/** With {@code spring.main.lazy-initialization=true}, beans exist when somebody asks for them; nobody asks for a handler. */
class LazyInitializationTest {
    @Configuration(proxyBeanMethods = false)
    @Import({Plain.class, Mailer.class})
    static class Shop {}

    private static ConfigurableApplicationContext start(String database) {
        return SpringApplication.run(
                Shop.class,
                "--spring.main.lazy-initialization=true",
                "--spring.main.web-application-type=none",
                "--spring.datasource.url=jdbc:h2:mem:" + database + ";DB_CLOSE_DELAY=-1");
    }

    @Test
    void eventsOfAnEarlierProcessAreDelivered() {
        String database = UUID.randomUUID().toString();
        try (ConfigurableApplicationContext writer = SpringApplication.run(
                Plain.class,
                "--spring.main.web-application-type=none",
                "--outbox.mode=writer-only",
                "--spring.datasource.url=jdbc:h2:mem:" + database + ";DB_CLOSE_DELAY=-1")) {
            inTransaction(
                    writer,
                    () -> writer.getBean(OutboxWriter.class)
                            .write("order.placed", "{\"eventId\":\"1\",\"orderId\":\"early\"}"));
        }
        try (ConfigurableApplicationContext shop = start(database)) {
            assertThat(shop.getBean(Outbox.class).isRunning()).isTrue();
            await().untilAsserted(
                            () -> assertThat(shop.getBean(Mailer.class).mails).containsExactly("early"));
        }
    }

    @Test
    void springsEventsAreWrittenAlthoughNoBeanAskedForTheOutbox() {
        try (ConfigurableApplicationContext shop = start(UUID.randomUUID().toString())) {
            inTransaction(shop, () -> shop.publishEvent(new OrderPlaced("1")));
            assertThat(shop.getBean(JdbcTemplate.class)
                            .queryForObject("SELECT COUNT(*) FROM outbox_event", Integer.class))
                    .isEqualTo(1);
            await().untilAsserted(
                            () -> assertThat(shop.getBean(Mailer.class).mails).containsExactly("1"));
        }
    }
}
