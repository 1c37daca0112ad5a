package outbox.control.server.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;

/** One event: its cause, its payload, its neighbours, and that it is live. */
class EventPageIT extends BrowserTest {
    private static final String LARGE = "12345678901234567890.10";

    private static EventEnvelope.Builder of(String key, String payload) {
        return EventEnvelope.builder("LedgerEntry")
                .aggregateType("Account")
                .aggregateId(key)
                .payloadJson(payload);
    }

    @Test
    void largeNumbersStayExactAndObjectsFold() throws Exception {
        String id = center().rows()
                .insert(of("exact", "{\"amount\":" + LARGE + ",\"lines\":[{\"n\":1}]}")
                        .build());
        Page page = open("#/orders/events/" + id);
        page.getByText("Show the payload").click();
        assertThat(page.locator(".tree")).containsText("amount: " + LARGE);
        assertThat(page.getByText("n: 1")).isVisible();
        page.locator(".tree summary", new Page.LocatorOptions().setHasText("lines"))
                .click();
        assertThat(page.getByText("n: 1")).isHidden();
    }

    @Test
    void theRootCauseIsAtTheHeadAndForeignFramesAreFolded() throws Exception {
        String trace = String.join(
                "\n",
                "java.net.ConnectException: refused by the bank",
                "  at java.base/sun.nio.ch.Net.connect0(Native Method)",
                "  at java.base/sun.nio.ch.Net.connect(Net.java:589)",
                "  at java.base/java.net.Socket.connect(Socket.java:751)",
                "  at com.shop.Bank.pay(Bank.java:12)");
        String id = center().rows().dead(of("cause", "{}").build(), trace);
        Page page = open("#/orders/events/" + id);
        assertThat(page.locator(".note.cause"))
                .hasText(Pattern.compile("Root cause\\s+ConnectException\\s+refused by the bank"));
        page.getByText("stack trace").first().click();
        assertThat(page.locator(".stacktrace")).containsText("com.shop.Bank.pay");
        assertThat(page.getByText("Socket.connect(Socket.java")).isHidden();
        page.getByText("3 frames of libraries").click();
        assertThat(page.getByText("Socket.connect(Socket.java")).isVisible();
    }

    @Test
    void nextAndPreviousStayWithinTheKey() throws Exception {
        List<String> ids = List.of(
                center().rows().insert(of("steps", "{}").build()),
                center().rows().insert(of("steps", "{}").build()),
                center().rows().insert(of("steps", "{}").build()));
        center().rows().insert(of("other", "{}").build());
        Page page = open("#/orders/events/" + ids.get(1));
        page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("Next"))
                .click();
        assertThat(page).hasURL(Pattern.compile(".*" + ids.get(2)));
        assertThat(page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("Previous")))
                .isVisible();
        assertThat(page.locator(".segmented .button").last()).hasClass(Pattern.compile(".*off.*"));
        page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("Previous"))
                .click();
        assertThat(page).hasURL(Pattern.compile(".*" + ids.get(1)));
    }

    @Test
    void twoEventsAreComparedFieldByField() throws Exception {
        String first = center().rows()
                .insert(of("compare", "{\"total\":1.0,\"same\":7}").build());
        center().rows().insert(of("compare", "{\"total\":1.00,\"same\":7}").build());
        Page page = open("#/orders/events/" + first);
        page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Compare"))
                .click();
        page.getByLabel("Compare payloads too").check();
        assertThat(page.locator(".compare tr", new Page.LocatorOptions().setHasText("payload total")))
                .hasText(Pattern.compile("payload total\\s*1\\.0\\s*1\\.00"));
        assertThat(page.locator(".compare")).not().containsText("payload same");
        page.getByLabel("Only differences").uncheck();
        assertThat(page.locator(".compare")).containsText("payload same");
    }

    @Test
    void anEventThatChangesIsShownAsItIs() throws Exception {
        String id = center().rows().insert(of("live", "{}").build());
        Page page = open("#/orders/events/" + id);
        assertThat(page.locator(".top .badge")).hasText("New");
        center().rows().run("UPDATE outbox_event SET status = 1, done_at = now() WHERE event_id = ?", id);
        assertThat(page.locator(".top .badge")).hasText("Delivered");
        assertThat(page.locator(".timeline").first()).containsText("delivered");
    }
}
