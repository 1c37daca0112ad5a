package outbox.control.server.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What others wrote into rows is text on every page. The browser's own guard, the content security policy, is switched
 * off: nothing may run even without it.
 */
class StoredScriptsIT extends BrowserTest {
    @Test
    void noneOfThemRuns() throws Exception {
        assertThat(HostileRows.payloads()).hasSizeGreaterThanOrEqualTo(50);
        List<String> dialogs = new ArrayList<>();
        try (BrowserContext context = Chromium.shared()
                .newContext(new Browser.NewContextOptions()
                        .setBypassCSP(true)
                        .setLocale("en-GB")
                        .setViewportSize(1280, 900))) {
            context.setDefaultTimeout(60_000);
            Page page = context.newPage();
            page.onDialog(dialog -> {
                dialogs.add(dialog.message());
                dialog.dismiss();
            });
            logIn(page, RunningCenter.ADMIN);
            saveAView(page);
            startAnOperation(page);
            List<String> pages = List.of(
                    "#/",
                    "#/legacy/",
                    "#/legacy/events",
                    "#/legacy/events?size=200",
                    "#/legacy/errors",
                    "#/legacy/failures",
                    "#/legacy/operations",
                    "#/legacy/handlers",
                    "#/legacy/nodes",
                    "#/legacy/alerts",
                    "#/-audit",
                    "#/-users",
                    "#/-settings",
                    page.url().substring(page.url().indexOf('#')), // of the operation
                    "#/legacy/events/" + center().hostile().richest());
            assertThat(links(page)).isSubsetOf(pages);
            for (String path : pages) {
                visit(page, path);
                look(page);
                assertThat(page.evaluate("window.ran === undefined")).as(path).isEqualTo(true);
                assertThat(page.locator("main script, main iframe, main object, main embed, main img")
                                .count())
                        .as("markup of rows on " + path)
                        .isZero();
            }
            assertThat(page.getByText("<svg onload=window.ran=1>").first().isVisible())
                    .as("they are shown as what they are")
                    .isTrue();
            page.evaluate("document.querySelector('main').innerHTML = '<img src=x onerror=window.ran=1>'");
            page.waitForFunction("window.ran === 1"); // had one run, it would have been seen
        }
        assertThat(dialogs).isEmpty();
    }

    /** All pages of the menu: one that is added has to be looked at as well. */
    private static List<String> links(Page page) {
        return page.locator(".side nav a").all().stream()
                .map(link -> link.getAttribute("href"))
                .toList();
    }

    /** As a person would: opens what can be opened. */
    private static void look(Page page) {
        Locator payload = page.getByText("Show the payload");
        if (payload.count() > 0) {
            payload.click();
            page.locator(".tree").waitFor();
        }
        page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })");
        page.evaluate(
                "document.querySelectorAll('a, tr, td').forEach((e) => e.dispatchEvent(new MouseEvent('mouseover', { bubbles: true })))");
    }

    private void saveAView(Page page) throws Exception {
        visit(page, "#/legacy/events?state=dead");
        page.getByText("Saved views").first().click();
        page.locator("dialog input[name=name]").fill("<img src=x onerror=window.ran=1>");
        page.locator("dialog button.primary").click();
        page.locator("dialog .views li").waitFor();
        page.keyboard().press("Escape");
    }

    private void startAnOperation(Page page) throws Exception {
        visit(page, "#/legacy/events?state=dead");
        page.getByText("Act on all matching events").click();
        page.locator("dialog .count").waitFor();
        page.locator("dialog select").selectOption("park");
        page.locator("dialog .count").waitFor();
        page.locator("dialog textarea").fill("<img src=x onerror=window.ran=1>");
        page.locator("dialog button.primary").click();
        page.locator("progress").waitFor();
    }
}
