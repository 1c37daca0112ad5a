package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.spring.boot.tests.Apps.Plain;

/** What an application says of itself. */
class DoctorEndpointTest {
    @Configuration(proxyBeanMethods = false)
    @Import({Plain.class, Mailer.class})
    static class Shop {}

    private static ConfigurableApplicationContext start(String exposed) {
        return SpringApplication.run(
                Shop.class,
                "--server.port=0",
                "--server.address=127.0.0.1",
                "--spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
                "--management.endpoints.web.exposure.include=" + exposed);
    }

    private static String get(ConfigurableApplicationContext context, String path) throws Exception {
        URI uri = URI.create(
                "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port") + "/actuator" + path);
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
                .body();
    }

    @Test
    void aHealthyApplicationProvesThatItWritesInItsTransactions() throws Exception {
        try (ConfigurableApplicationContext context = start("outboxdoctor")) {
            assertThat(get(context, "/outboxdoctor?probe=true"))
                    .contains("\"healthy\":true")
                    .contains("invisible to others while its transaction was open")
                    .contains("the running outbox stops retrying after");
            assertThat(context.getBean(JdbcTemplate.class)
                            .queryForObject("SELECT COUNT(*) FROM outbox_event", Integer.class))
                    .isZero();
        }
    }

    @Test
    void aFaultIsFound() throws Exception {
        try (ConfigurableApplicationContext context = start("outboxdoctor")) {
            context.getBean(JdbcTemplate.class).execute("DROP INDEX outbox_event_due");
            assertThat(get(context, "/outboxdoctor"))
                    .contains("\"code\":\"index-missing\"")
                    .contains("the writer rejected a call outside of a transaction");
        }
    }

    @Test
    void nothingIsThereUnlessItIsExposed() {
        try (ConfigurableApplicationContext context = start("health")) {
            assertThat(context.getBeanNamesForType(outbox.spring.boot.OutboxDoctorEndpoint.class))
                    .isEmpty();
        }
    }
}
