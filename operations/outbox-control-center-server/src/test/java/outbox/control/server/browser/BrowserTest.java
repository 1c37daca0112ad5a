package outbox.control.server.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** A person in front of the running control center. What a page says to its console counts as a failure. */
@Timeout(900)
abstract class BrowserTest {
    /** Machines that run tests may be busy with other things. */
    private static final int PATIENCE_MILLIS = 60_000;

    /** The admin's session after the first login: logging in anew for each test is not what most of them are about. */
    private static String session;

    private final List<BrowserContext> contexts = new ArrayList<>();
    private final List<String> complaints = new ArrayList<>();

    static {
        PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MILLIS);
    }

    @AfterEach
    void closeAndLookAtTheConsole() {
        contexts.forEach(BrowserContext::close);
        org.assertj.core.api.Assertions.assertThat(complaints)
                .as("what the browser complained about")
                .isEmpty();
    }

    final RunningCenter center() throws Exception {
        Chromium.shared(); // first: without it nothing has to be started
        return RunningCenter.shared();
    }

    final Page page(int width, int height, ColorScheme scheme) {
        return page(width, height, scheme, null);
    }

    private Page page(int width, int height, ColorScheme scheme, String state) {
        BrowserContext context = Chromium.shared()
                .newContext(new Browser.NewContextOptions()
                        .setViewportSize(width, height)
                        .setColorScheme(scheme)
                        .setLocale("en-GB")
                        .setTimezoneId("UTC")
                        .setStorageState(state));
        context.setDefaultTimeout(PATIENCE_MILLIS);
        contexts.add(context);
        Page page = context.newPage();
        page.onConsoleMessage(message -> {
            if (message.type().equals("error") && !message.text().contains("status of 4")) {
                complaints.add(message.text() + " at " + message.location());
            }
        });
        page.onPageError(complaints::add);
        return page;
    }

    /** Logged in, in front of a page such as {@code #/orders/events}. */
    final Page open(String path) throws Exception {
        return open(path, 1280, 900, ColorScheme.LIGHT);
    }

    final Page open(String path, int width, int height, ColorScheme scheme) throws Exception {
        center();
        Page page = page(width, height, scheme, session);
        if (session == null) {
            logIn(page, RunningCenter.ADMIN);
            session = page.context().storageState();
        }
        visit(page, path);
        return page;
    }

    final void logIn(Page page, String name) throws Exception {
        logIn(page, name, RunningCenter.PASSWORD);
    }

    final void logIn(Page page, String name, String password) throws Exception {
        page.navigate(center().url(""));
        page.getByLabel("Name").fill(name);
        page.getByLabel("Password").fill(password);
        page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Log in"))
                .click();
        assertThat(page.locator(".side .who .name")).hasText(name);
    }

    final void visit(Page page, String path) throws Exception {
        page.navigate(center().url(path));
        assertThat(page.locator("main h1")).isVisible();
        assertThat(page.locator("[aria-busy=true]")).hasCount(0);
    }
}
