package outbox.control.server.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
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
        assertThat(page.locator(".holds")).containsText("1 circuit breaker open: " + HANDLER);
        assertThat(page.locator(".headline .big")).hasClass(Pattern.compile("big (warn|bad)"));
        assertThat(page.locator(".headline .big")).hasText(Pattern.compile(".*(min|h|d).*"));
    }

    @Test
    void heldBackEventsAreAListOfTheirOwnAndNotWaiting() throws Exception {
        Page page = open("#/orders/events");
        page.locator(".tabs button")
                .filter(new Locator.FilterOptions().setHasText("Held back"))
                .click();
        assertThat(page.locator("tbody tr .badge.held")).hasCount(1);
        page.locator(".tabs button")
                .filter(new Locator.FilterOptions().setHasText("New"))
                .click();
        assertThat(page).hasURL(Pattern.compile(".*state=new.*"));
        assertThat(page.locator("tbody tr .badge.new").first()).isVisible();
        assertThat(page.locator("tbody tr .badge.held")).hasCount(0);
    }

    /** The headline, the metric and the alert read the same: releases have moved the due time on, and the age counts. */
    @Test
    void theAlertFiresWhileTheEventsAreHeldBack() throws Exception {
        String rule = center().send("POST", "/alerts/rules", """
                {"name": "outage", "application": "orders", "metric": "oldest_age", "threshold": 800, "forSeconds": 0,
                 "reminderMinutes": 0, "channels": [], "enabled": true}""").replaceAll("(?s).*\"id\":\"([^\"]+)\".*", "$1");
        try {
            Page page = open("#/orders/alerts");
            Locator line = page.locator("tbody tr")
                    .filter(new Locator.FilterOptions().setHasText("outage"))
                    .filter(new Locator.FilterOptions().setHasText("firing"));
            assertThat(line).hasCount(1);
            assertThat(line.locator("td[data-label=Value]"))
                    .hasText(Pattern.compile("1[5-9] min.*|[2-9]\\d min.*|\\d+ h.*"));
        } finally {
            center().send("DELETE", "/alerts/rules/" + rule, "{}");
        }
    }

    @Test
    void anOperationSaysWhatBecameOfItsEvents() throws Exception {
        for (int i = 0; i < 3; i++) {
            center().rows().dead(ShopRows.order("OutageEnded", i).build(), "java.net.ConnectException: refused");
        }
        String operation =
                center().send("POST", "/apps/orders/operations", """
                {"action": "retry", "filter": {"state": "dead", "type": "OutageEnded"}, "reason": "the gateway is back"}""").replaceAll("(?s).*?\"id\":\"([^\"]+)\".*", "$1");
        Page page = open("#/orders/operations/" + operation);
        Locator outcome =
                page.locator("p").filter(new Locator.FilterOptions().setHasText("Current state of the events"));
        assertThat(outcome).containsText("3 still pending");

        List<String> ids = center().rows().ids("event_type = 'OutageEnded'");
        center().rows().run("UPDATE outbox_event SET status = 1, done_at = now() WHERE event_id = ?", ids.get(0));
        center().rows().run("UPDATE outbox_event SET status = 3, done_at = now() WHERE event_id = ?", ids.get(1));
        assertThat(outcome).containsText("1 delivered");
        assertThat(outcome).containsText("1 dead again");
        assertThat(outcome).containsText("1 still pending");
        center().rows().run("DELETE FROM outbox_event WHERE event_type = ?", "OutageEnded");
        assertThat(outcome).containsText("3 no longer in the table");
    }

    @Test
    void everyPageNamesTheOpenBreaker() throws Exception {
        for (String path : List.of("#/orders/", "#/orders/events", "#/orders/alerts")) {
            assertThat(open(path).locator(".banner"))
                    .containsText(Pattern.compile("Circuit breaker open: .*" + HANDLER + " \\(1 held back\\)"));
        }
    }
}
