package outbox.control.server.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The jobs of an application at a simulated XXL-Job admin. */
class JobsIT extends BrowserTest {
    private static Locator line(Page page, String handler) {
        return page.locator("tbody tr", new Page.LocatorOptions().setHasText(handler));
    }

    private static Locator button(Locator within, String name) {
        return within.getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName(name));
    }

    @Test
    void anOperatorStopsStartsAndTriggersAJob() throws Exception {
        Page page = open("#/orders/jobs");
        Locator recover = line(page, "outboxRecover");
        assertThat(recover.locator(".badge")).hasText("started");
        assertThat(recover).containsText("every 30 s");
        button(recover, "Stop").click();
        page.getByLabel("Reason").fill("INC-42");
        button(page.locator("dialog"), "Stop").click();
        assertThat(recover.locator(".badge")).hasText("stopped");
        assertThat(page.locator(".toast")).hasText("The job is stopped.");
        button(recover, "Run once").click();
        assertThat(page.locator(".toast")).hasText("The job was triggered.");
        assertThat(recover.locator("td[data-label='Last run'] time")).hasCount(1);
        page.screenshot(new Page.ScreenshotOptions().setPath(Path.of("target/screenshots/jobs-stopped.png")));
        page.getByText("中文").click();
        assertThat(page.locator("main h1")).hasText("调度任务");
        assertThat(recover.locator(".badge")).hasText("已停止");
        page.screenshot(new Page.ScreenshotOptions().setPath(Path.of("target/screenshots/jobs-chinese.png")));
        button(recover, "启动").click();
        assertThat(recover.locator(".badge")).hasText("运行中");
        assertEquals("1", center().jobs().jobs().get(0).get("triggerStatus"));
    }

    @Test
    void aViewerSeesThemWithoutButtons() throws Exception {
        center();
        Page page = page(1280, 900, ColorScheme.LIGHT);
        logIn(page, RunningCenter.VIEWER);
        visit(page, "#/orders/jobs");
        assertThat(line(page, "outboxWarnFailed")).hasCount(1);
        assertThat(page.locator("tbody button")).hasCount(0);
    }

    @Test
    void withoutAnAdminThereIsNoSuchPage() throws Exception {
        Page page = open("#/billing/jobs");
        assertThat(page.locator("main h1")).hasText("Overview");
        assertThat(page.locator(".side nav").last()).not().containsText("Scheduled jobs");
        visit(page, "#/orders/");
        assertThat(page.locator(".side nav").last()).containsText("Scheduled jobs");
    }
}
