package outbox.control.server.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What an operator does on a day on which something failed. */
class OperatorJourneyIT extends BrowserTest {
    @Test
    void whoLogsInSeesHowItIsGoing() throws Exception {
        Page page = open("#/orders/");
        assertThat(page.locator("main h1")).hasText("Overview");
        assertThat(page.locator(".live.on")).isVisible();
        assertThat(page.locator(".headline .big")).not().hasText("–");
    }

    @Test
    void aWrongPasswordIsRefusedWithASentence() throws Exception {
        center();
        Page page = page(1280, 900, ColorScheme.LIGHT);
        page.navigate(center().url(""));
        page.getByLabel("Name").fill("mallory");
        page.getByLabel("Password").fill("not the password");
        page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Log in"))
                .click();
        assertThat(page.getByRole(AriaRole.ALERT)).isVisible();
    }

    @Test
    void aDeadEventIsFoundOpenedAndRetried() throws Exception {
        String id = center().rows().dead(ShopRows.order("RefundRequested", 1).build(), "java.io.IOException: away");
        Page page = open("#/orders/events");
        page.getByRole(
                        AriaRole.BUTTON,
                        new Page.GetByRoleOptions().setName("Dead").setExact(true))
                .click();
        page.getByLabel("Type").fill("RefundRequested");
        page.getByLabel("Type").press("Enter");
        assertThat(page).hasURL(Pattern.compile(".*state=dead.*type=RefundRequested.*"));
        assertThat(page.locator("tbody tr")).hasCount(1);
        page.locator("tbody tr a").first().click();
        assertThat(page.locator("main h1")).hasText("RefundRequested");
        assertThat(page.locator("main code").first()).hasText(id);
        page.keyboard().press("r");
        page.getByRole(AriaRole.DIALOG).getByLabel(Pattern.compile("Reason")).fill("the other side is back");
        page.getByRole(AriaRole.DIALOG)
                .getByRole(AriaRole.BUTTON, new com.microsoft.playwright.Locator.GetByRoleOptions().setName("Retry"))
                .click();
        assertThat(page.locator(".top .badge")).hasText("New");
    }

    @Test
    void theLanguageAndTheThemeStayAsChosen() throws Exception {
        Page page = open("#/orders/");
        page.getByLabel("Language").click();
        assertThat(page.locator("main h1")).hasText("概览");
        page.getByLabel("深色").click();
        page.reload();
        assertThat(page.locator("main h1")).hasText("概览");
        assertThat(page.locator("html")).hasAttribute("data-theme", "dark");
        assertThat(page.locator("html")).hasAttribute("lang", "zh-CN");
    }

    @Test
    void theKeyboardIsEnough() throws Exception {
        Page page = open("#/orders/events");
        page.keyboard().press("/");
        assertThat(page.getByLabel("Event id")).isFocused();
        page.keyboard().press("Escape");
        page.locator("main").focus();
        assertThat(page.locator("tbody tr").first()).hasClass(Pattern.compile(".*here.*"));
        page.keyboard().press("j");
        page.keyboard().press("j");
        page.keyboard().press("k");
        assertThat(page.locator("tbody tr").nth(1)).hasClass(Pattern.compile(".*here.*"));
        page.keyboard().press("?");
        assertThat(page.getByRole(AriaRole.DIALOG)).isVisible();
        page.keyboard().press("Escape");
        assertThat(page.getByRole(AriaRole.DIALOG)).hasCount(0);
        page.keyboard().press("Enter");
        assertThat(page).hasURL(Pattern.compile(".*/events/.+"));
    }
}
