package outbox.samples.shop;

import org.springframework.test.context.DynamicPropertyRegistry;
import outbox.testing.server.TestDatabase;

/** Points the shop at a server. */
final class Servers {
    private Servers() {}

    static void use(TestDatabase database, DynamicPropertyRegistry properties) {
        properties.add("spring.datasource.url", database::jdbcUrl);
        properties.add("spring.datasource.username", database::username);
        properties.add("spring.datasource.password", database::password);
    }
}
