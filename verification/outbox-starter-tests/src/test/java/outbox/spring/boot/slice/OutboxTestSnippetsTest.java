package outbox.spring.boot.slice;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.TestPropertySource;
import outbox.spring.boot.slice.SliceParts.Mailer;
import outbox.spring.boot.slice.SliceParts.OrderPlaced;
import outbox.spring.boot.slice.SliceParts.OrderService;
import outbox.spring.boot.test.OutboxTest;
import outbox.spring.boot.test.TestOutbox;

/** For the page on tests. */
@TestPropertySource(
        properties = {
            "spring.datasource.url=jdbc:h2:mem:slice-snippets;DB_CLOSE_DELAY=-1",
            "spring.sql.init.mode=always",
            "spring.sql.init.schema-locations=classpath:slice.sql",
            "spring.flyway.enabled=false",
            "spring.liquibase.enabled=false"
        })
// snippet: slice
@OutboxTest(include = OrderService.class)
class OutboxTestSnippetsTest {
    @Autowired
    OrderService orders;

    @Autowired
    TestOutbox outbox;

    @Test
    void anOrderIsPublishedAndHandled() {
        orders.place("42");

        outbox.published(OrderPlaced.class).withKey("42").once();
        outbox.drain();
        outbox.assertThat().hasNothingPending().hasNoDeadEvents();
    }
    // end

    @Autowired
    JdbcTemplate jdbc;

    @BeforeEach
    void calm() {
        Mailer.looksFirst = true;
        Mailer.fails = false;
    }

    // snippet: twice
    @Test
    void aCrashOfTheMailerSendsNoSecondMail() {
        outbox.deliverTwice(new OrderPlaced("43"), () -> jdbc.queryForList("SELECT order_id FROM mail"));
    }
    // end
}
