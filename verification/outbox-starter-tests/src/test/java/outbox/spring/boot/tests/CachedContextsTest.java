package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.TestContextManager;
import outbox.domain.ActiveEntity;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.spring.boot.tests.Apps.OrderPlaced;
import outbox.spring.boot.tests.Apps.Plain;

/** Test classes with different properties have different contexts, which Spring keeps until the JVM ends. */
class CachedContextsTest {
    @Configuration(proxyBeanMethods = false)
    @Import({Plain.class, Mailer.class})
    static class Shop {}

    @SpringBootTest(
            classes = Shop.class,
            webEnvironment = WebEnvironment.NONE,
            properties = "spring.datasource.url=jdbc:h2:mem:first-cached;DB_CLOSE_DELAY=-1")
    static class FirstTests {}

    @SpringBootTest(
            classes = Shop.class,
            webEnvironment = WebEnvironment.NONE,
            properties = {
                "spring.datasource.url=jdbc:h2:mem:second-cached;DB_CLOSE_DELAY=-1",
                "outbox.dispatch.workers=2"
            })
    static class SecondTests {}

    /** Publishes without injection, by what is static in the JVM. */
    static class Order extends ActiveEntity {
        void place(String id) {
            apply(new OrderPlaced(id));
        }

        @Override
        protected String aggregateType() {
            return "Order";
        }

        @Override
        protected String aggregateId() {
            return "1";
        }
    }

    @Test
    void eachContextDeliversItsOwnEventsHoweverOftenTheyTakeTurns() throws Exception {
        List<String> first = new ArrayList<>();
        List<String> second = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            first.add(orderIn(FirstTests.class, first));
            second.add(orderIn(SecondTests.class, second));
        }
        assertThat(first).hasSize(3).doesNotContainAnyElementsOf(second);
    }

    private static String orderIn(Class<?> testClass, List<String> before) throws Exception {
        TestContextManager spring = new TestContextManager(testClass);
        spring.beforeTestClass();
        ApplicationContext context = spring.getTestContext().getApplicationContext();
        String byEntity = UUID.randomUUID().toString();
        Apps.inTransaction(context, () -> new Order().place(byEntity));
        String bySpring = UUID.randomUUID().toString();
        Apps.inTransaction(context, () -> context.publishEvent(new OrderPlaced(bySpring)));
        await().untilAsserted(() -> assertThat(context.getBean(Mailer.class).mails)
                .hasSize(2 * before.size() + 2)
                .contains(byEntity, bySpring));
        assertThat(context.getBean(JdbcTemplate.class)
                        .queryForObject("SELECT COUNT(*) FROM outbox_event", Integer.class))
                .isEqualTo(2 * before.size() + 2);
        spring.afterTestClass();
        return byEntity;
    }
}
