package outbox.control.server.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import java.nio.file.Files;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The list of events: density, states, query bar, columns, export. */
class EventListIT extends BrowserTest {
    private static Locator tab(Page page, String name) {
        return page.locator(".tabs button").filter(new Locator.FilterOptions().setHasText(name));
    }

    @Test
    void twentyFiveRowsAreInSightOnALaptop() throws Exception {
        Page page = open("#/orders/events", 1440, 900, ColorScheme.LIGHT);
        assertThat(page.locator(".tabs .count").first()).isVisible();
        Object inSight = page.evaluate("() => [...document.querySelectorAll('tbody tr')]"
                + ".filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length");
        org.assertj.core.api.Assertions.assertThat((Integer) inSight).isGreaterThanOrEqualTo(25);
    }

    @Test
    void scheduledEventsHaveATabOfTheirOwnWithTheirNumber() throws Exception {
        String id = center().rows()
                .insert(ShopRows.order("ReminderDue", 1)
                        .deliverAfter(Duration.ofDays(3))
                        .build());
        Page page = open("#/orders/events");
        assertThat(tab(page, "Scheduled").locator(".count")).hasText(Pattern.compile("[1-9]\\d*"));
        assertThat(tab(page, "Dead").locator(".count")).hasText(Pattern.compile("[1-9]\\d*"));
        tab(page, "Scheduled").click();
        assertThat(page.locator("tbody tr", new Page.LocatorOptions().setHasText("ReminderDue"))
                        .locator(".badge"))
                .hasText("Scheduled");
        visit(page, "#/orders/events?state=new&type=ReminderDue");
        assertThat(page.locator("main .empty")).hasText("No events match.");
        visit(page, "#/orders/events/" + id);
        assertThat(page.locator(".timeline").first()).containsText("scheduled for");
    }

    @Test
    void theQueryBarCompletesKeysAndValues() throws Exception {
        Page page = open("#/orders/events");
        Locator bar = page.getByLabel("Search events");
        Locator choices = page.locator(".querybar [role=option]");
        bar.click();
        bar.pressSequentially("sta");
        choices.filter(new Locator.FilterOptions().setHasText("state:")).click();
        bar.pressSequentially("de");
        bar.press("Tab");
        assertThat(bar).hasValue("state:dead ");
        bar.pressSequentially("type:Payment");
        assertThat(choices).hasText("PaymentRequested");
        bar.press("ArrowDown");
        bar.press("Enter");
        bar.press("Enter");
        assertThat(page).hasURL(Pattern.compile(".*state=dead.*type=PaymentRequested.*"));
        assertThat(page.locator("tbody tr").first()).containsText("PaymentRequested");
        assertThat(bar).hasValue("state:dead type:PaymentRequested");
    }

    @Test
    void anUnknownKeyIsNamedAndChangesNothing() throws Exception {
        Page page = open("#/orders/events?state=dead");
        page.getByLabel("Search events").fill("color:red");
        page.getByLabel("Search events").press("Enter");
        assertThat(page.locator(".querybar [role=alert]")).hasText("Unknown key: color");
        assertThat(page).hasURL(Pattern.compile(".*state=dead$"));
    }

    @Test
    void timesAreRelativeAndExactOnHover() throws Exception {
        Page page = open("#/orders/events");
        Locator time = page.locator("tbody time").first();
        assertThat(time).hasText(Pattern.compile("(now|\\d+ (s|min|h) ago)"));
        assertThat(time).hasAttribute("title", Pattern.compile("\\d{2} \\w{3,4} \\d{4}.*\\.\\d{3}.* UTC"));
    }

    @Test
    void chosenColumnsStayChosen() throws Exception {
        Page page = open("#/orders/events");
        page.locator("summary")
                .filter(new Locator.FilterOptions().setHasText("Columns"))
                .click();
        page.locator(".popover").getByLabel("Event id").check();
        page.locator(".popover").getByLabel("Attempts").uncheck();
        assertThat(page.locator("thead")).containsText("Event id");
        page.reload();
        assertThat(page.locator("thead")).containsText("Event id");
        assertThat(page.locator("thead")).not().containsText("Attempts");
    }

    @Test
    void whatIsFilteredIsExported() throws Exception {
        center().rows().dead(ShopRows.order("ExportedOnce", 1).build(), "java.io.IOException: away");
        Page page = open("#/orders/events?type=ExportedOnce");
        page.locator("summary")
                .filter(new Locator.FilterOptions().setHasText("Export"))
                .click();
        Download file = page.waitForDownload(() -> page.getByText("NDJSON").click());
        assertEquals("orders.ndjson", file.suggestedFilename());
        org.assertj.core.api.Assertions.assertThat(Files.readString(file.path()).lines())
                .singleElement()
                .asString()
                .contains("\"type\":\"ExportedOnce\"");
    }
}
