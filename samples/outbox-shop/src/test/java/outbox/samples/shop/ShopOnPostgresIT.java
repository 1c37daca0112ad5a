package outbox.samples.shop;

import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import outbox.testing.server.EmbeddedPostgres;

@DirtiesContext // one shop at a time
@ActiveProfiles("postgres")
class ShopOnPostgresIT extends ShopContract {
    @DynamicPropertySource
    static void server(DynamicPropertyRegistry properties) {
        Servers.use(EmbeddedPostgres.shared().freshDatabase(), properties);
    }

    @Override
    String database() {
        return "postgresql";
    }
}
