package outbox.samples.shop;

import org.junit.jupiter.api.BeforeAll;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import outbox.testing.server.EmbeddedMySql;

@DirtiesContext // one shop at a time
@ActiveProfiles("mysql")
class ShopOnMySqlIT extends ShopContract {
    @BeforeAll
    static void serverIsThere() {
        EmbeddedMySql.shared(); // where it cannot run, this ends the test before its application starts
    }

    @DynamicPropertySource
    static void server(DynamicPropertyRegistry properties) {
        Servers.use(EmbeddedMySql.shared().freshDatabase(), properties);
    }

    @Override
    String database() {
        return "mysql";
    }
}
