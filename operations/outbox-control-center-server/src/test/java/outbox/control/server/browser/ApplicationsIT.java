package outbox.control.server.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** All applications at a glance, and the charts of one. */
class ApplicationsIT extends BrowserTest {
    private static Locator line(Page page, String name) {
        return page.locator(
                "tbody tr",
                new Page.LocatorOptions().setHas(page.locator("td.name").getByText(name)));
    }

    @Test
    void theFirstPageHasALineForEachApplication() throws Exception {
        center().rows().run("UPDATE outbox_node SET seen_at = now() + INTERVAL '1 hour' WHERE node <> 'shop-3/0b11'");
        Page page = open("#/");
        assertThat(page.locator("main h1")).hasText("Applications");
        assertThat(page.locator("tbody tr")).hasCount(3);
        assertThat(line(page, "billing").locator(".badge")).hasText("healthy");
        assertThat(line(page, "orders").locator(".badge")).not().hasText("healthy");
        assertThat(line(page, "orders")).containsText(Pattern.compile("2/3")); // nodes alive
        line(page, "orders").getByText("orders").click();
        assertThat(page.locator("main h1")).hasText("Overview");
    }

    @Test
    void whoSeesOneApplicationBeginsWithIt() throws Exception {
        center();
        Page page = page(1280, 900, ColorScheme.LIGHT);
        logIn(page, RunningCenter.VIEWER);
        assertThat(page.locator("main h1")).hasText("Overview");
        assertThat(page.locator(".side nav")).not().containsText("Applications");
    }

    @Test
    void aChartHasATimeAxisAndTellsTheValuesUnderTheCursor() throws Exception {
        Page page = open("#/orders/");
        page.getByText("15 min", new Page.GetByTextOptions().setExact(true)).click();
        Locator chart = page.locator(".chart-card").first();
        assertThat(chart.locator("svg path.l1").first()).hasAttribute("d", Pattern.compile("M.+L.+"));
        assertThat(chart.locator("text.axis").last()).hasText(Pattern.compile("\\d{2}:\\d{2}"));
        chart.locator("svg").hover();
        assertThat(chart.locator(".card-head .num")).hasText(Pattern.compile(".*\\d{2}:\\d{2}:\\d{2}"));
        assertThat(chart.locator("line.cross")).hasCount(1);
    }

    @Test
    void aNewSampleDoesNotTakeTheValuesFromUnderTheCursor() throws Exception {
        Page page = open("#/orders/");
        page.getByText("15 min", new Page.GetByTextOptions().setExact(true)).click();
        Locator chart = page.locator(".chart-card").first();
        Locator path = chart.locator("svg path.l1").first();
        assertThat(path).hasAttribute("d", Pattern.compile("M.+L.+"));
        chart.locator("svg").hover();
        assertThat(chart.locator("line.cross")).hasCount(1);
        for (int sample = 0; sample < 2; sample++) {
            assertThat(path).not().hasAttribute("d", path.getAttribute("d"));
        }
        assertEquals(1, chart.locator("line.cross").count());
    }

    @Test
    void onAPhoneEveryNumberHasItsLabel() throws Exception {
        Page page = open("#/", 390, 844, ColorScheme.LIGHT);
        Locator dead = line(page, "orders").locator("td[data-label=Dead]");
        assertEquals("\"Dead\"", dead.evaluate("(cell) => getComputedStyle(cell, '::before').content"));
        assertEquals(390, page.evaluate("document.documentElement.scrollWidth"));
    }
}
