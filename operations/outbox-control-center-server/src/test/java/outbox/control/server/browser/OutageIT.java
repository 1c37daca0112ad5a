package outbox.control.server.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Page;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.control.source.Application;
import outbox.spi.Settlement;

/** The gateway is down: its breaker is open, and nodes release its events again and again. */
class OutageIT extends BrowserTest {
    private static final String NODE = "outage-node";
    private static final String HANDLER = "payment-gateway";

    @BeforeEach
    void outage() throws Exception {
        Application orders = center().orders();
        NodeRows nodes = new NodeRows(orders.dataSource());
        nodes.node(NODE, "1.0.0", -3600); // alive for as long as the test takes
        nodes.handler(NODE, HANDLER, "handler", "PaymentRequested", 1, 7, "pause");
        EventEnvelope event = EventEnvelope.builder("PaymentRequested")
                .occurredAt(Instant.now().minus(Duration.ofMinutes(15)))
                .payloadJson("{}")
                .build();
        try (Connection conn = orders.dataSource().getConnection()) {
            orders.store().insertLeased(conn, List.of(event), NODE);
            orders.store().settle(conn, NODE, List.of(new Settlement.Release(event.eventId(), 0, Duration.ofHours(1))));
        }
    }

    @AfterEach
    void over() throws Exception {
        try (Connection conn = center().orders().dataSource().getConnection();
                Statement statement = conn.createStatement()) {
            statement.executeUpdate("DELETE FROM outbox_node_handler WHERE node = '" + NODE + "'");
            statement.executeUpdate("DELETE FROM outbox_node WHERE node = '" + NODE + "'");
            statement.executeUpdate("DELETE FROM outbox_event WHERE locked_by IS NULL AND locked_at IS NOT NULL");
        } catch (SQLException e) {
            throw new IllegalStateException("the next tests would see the outage", e);
        }
    }

    @Test
    void theHeadlineIsNotGreenAndTheHeldBackEventsAreCounted() throws Exception {
        Page page = open("#/orders/");
        assertThat(page.locator(".headline")).containsText("held back by an open breaker");
        assertThat(page.locator(".headline .big")).hasClass(Pattern.compile("big (warn|bad)"));
        assertThat(page.locator(".headline .big")).hasText(Pattern.compile(".*(min|h|d) .*"));
    }

    @Test
    void everyPageNamesTheOpenBreaker() throws Exception {
        for (String path : List.of("#/orders/", "#/orders/events", "#/orders/alerts")) {
            assertThat(open(path).locator(".banner"))
                    .containsText(Pattern.compile("Circuit breaker open: .*" + HANDLER));
        }
    }
}
