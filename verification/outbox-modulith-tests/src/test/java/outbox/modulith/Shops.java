package outbox.modulith;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.modulith.shop.Shop;

/** Starts the shop, on a database of its own. */
final class Shops {
    static {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60)); // a busy machine is no failure
    }

    private Shops() {}

    static ConfigurableApplicationContext start(Class<?> more, String... properties) {
        List<String> arguments = new ArrayList<>();
        arguments.add("--spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID());
        Arrays.stream(properties).map(property -> "--" + property).forEach(arguments::add);
        return new SpringApplicationBuilder(Shop.class, more)
                .web(WebApplicationType.NONE)
                .run(arguments.toArray(String[]::new));
    }

    static String failureOf(Throwable start) {
        return NestedExceptionUtils.getMostSpecificCause(start).getMessage();
    }

    static List<String> types(ConfigurableApplicationContext shop) {
        return shop.getBean(JdbcTemplate.class)
                .queryForList("SELECT event_type FROM outbox_event ORDER BY event_id", String.class);
    }

    static void inTransaction(ConfigurableApplicationContext shop, Runnable work) {
        new TransactionTemplate(shop.getBean(PlatformTransactionManager.class))
                .executeWithoutResult(status -> work.run());
    }
}
