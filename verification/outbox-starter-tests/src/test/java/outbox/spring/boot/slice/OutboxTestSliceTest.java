package outbox.spring.boot.slice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.spring.boot.slice.SliceParts.Mailer;
import outbox.spring.boot.slice.SliceParts.NotInATest;
import outbox.spring.boot.slice.SliceParts.OrderCounted;
import outbox.spring.boot.slice.SliceParts.OrderPlaced;
import outbox.spring.boot.slice.SliceParts.OrderService;
import outbox.spring.boot.test.OutboxTest;
import outbox.spring.boot.test.TestOutbox;

/** What a user's test with the slice looks like, and what it says when something is wrong. */
@OutboxTest(
        include = OrderService.class,
        properties = {
            "spring.datasource.url=jdbc:h2:mem:slice;DB_CLOSE_DELAY=-1",
            "spring.sql.init.mode=always",
            "spring.sql.init.schema-locations=classpath:slice.sql",
            "spring.flyway.enabled=false",
            "spring.liquibase.enabled=false",
            "outbox.retry.max-attempts=3",
            "outbox.consumption-table=slice_consumption"
        })
class OutboxTestSliceTest {
    @Autowired
    OrderService orders;

    @Autowired
    TestOutbox outbox;

    @Autowired
    JdbcTemplate jdbc;

    @Autowired
    PlatformTransactionManager transactions;

    @Autowired
    ApplicationContext context;

    @BeforeEach
    void calm() {
        Mailer.looksFirst = true;
        Mailer.fails = false;
    }

    @Test
    void theSliceHasHandlersAndWhatIsNamedAndNothingElse() {
        assertThat(context.getBeansOfType(OrderService.class)).hasSize(1);
        assertThat(context.getBeansOfType(Mailer.class)).hasSize(1);
        assertThat(context.getBeansOfType(NotInATest.class)).isEmpty();
        assertThat(context.containsBean("dispatcherServlet")).isFalse();
    }

    @Test
    void whatIsPublishedIsFoundAndDelivered() {
        orders.place("42");

        outbox.published(OrderPlaced.class).withKey("42").once();
        assertThat(outbox.events(OrderPlaced.class))
                .extracting(OrderPlaced::orderId)
                .containsExactly("42");
        assertThat(outbox.drain().later()).isZero();
        outbox.published(OrderPlaced.class)
                .isDone()
                .and()
                .published(OrderCounted.class)
                .isDone();
        outbox.assertThat().publishedExactly("order.placed", "order.counted").hasNothingPending();
    }

    @Test
    void eachTestBeginsWithNothing() {
        outbox.assertThat().publishedNothing();
        orders.place("1");
        outbox.drain();
    }

    @Test
    void aHandlerThatFailsIsRetriedByTheDrainUntilItsEventIsDead() {
        Mailer.fails = true;
        orders.place("43");

        assertThat(outbox.drain().later()).as("retries come at once").isLessThanOrEqualTo(1);
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            outbox.drain();
            outbox.published(OrderPlaced.class).isDeadOf("the mail server is away");
        });
        assertThatThrownBy(() -> outbox.published(OrderPlaced.class).isDone())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("expected an event of type order.placed that is DONE")
                .hasMessageContaining("order.counted");
    }

    @Test
    void eventsOfTheTestsOwnTransactionAreSeen() {
        new TransactionTemplate(transactions).executeWithoutResult(status -> {
            status.setRollbackOnly();
            orders.place("44");
            outbox.published(OrderPlaced.class).withKey("44").isPending();
            assertThatThrownBy(outbox::drain).hasMessageContaining("drain was called in a transaction");
        });
        outbox.assertThat().publishedNothing();
    }

    @Test
    void handlersThatBearADoubleDeliveryPass() {
        Mailer.looksFirst = true;
        outbox.deliverTwice(new OrderPlaced("45"), this::effect);
    }

    @Test
    void aHandlerThatDoesNotBearADoubleDeliveryFails() {
        Mailer.looksFirst = false;
        assertThatThrownBy(() -> outbox.deliverTwice(new OrderPlaced("46"), this::effect))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("not idempotent")
                .hasMessageContaining("after one:")
                .hasMessageContaining("after two:");
    }

    @Test
    void aDoubleDeliveryOfAnEventThatFailsSaysWhy() {
        Mailer.fails = true;
        assertThatThrownBy(() -> outbox.deliverTwice(new OrderPlaced("47"), this::effect))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("the first delivery")
                .hasMessageContaining("the mail server is away");
    }

    private Object effect() {
        return jdbc.queryForList("SELECT orders FROM counter") + " "
                + jdbc.queryForList("SELECT order_id FROM mail ORDER BY order_id");
    }
}
