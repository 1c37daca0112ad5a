package outbox.samples.shop;

import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import outbox.testing.server.EmbeddedMySql;

@DirtiesContext // the application ends before its server, which ends with the process
@ActiveProfiles("mysql")
class ShopOnMySqlIT extends ShopContract {
    @DynamicPropertySource
    static void server(DynamicPropertyRegistry properties) {
        Servers.use(EmbeddedMySql.shared().freshDatabase(), properties);
    }

    @Override
    String database() {
        return "mysql";
    }
}
