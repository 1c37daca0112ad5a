package outbox.control.server.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What an operator does on a day on which something failed. */
class OperatorJourneyIT extends BrowserTest {
    @Test
    void whoLogsInSeesHowItIsGoing() throws Exception {
        center();
        Page page = page(1280, 900, ColorScheme.LIGHT);
        logIn(page, RunningCenter.ADMIN);
        visit(page, "#/orders/");
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
        page.getByPlaceholder("Type", new Page.GetByPlaceholderOptions().setExact(true))
                .fill("RefundRequested");
        page.keyboard().press("Enter");
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
        assertThat(page.getByLabel("Search events")).isFocused();
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

    @Test
    void manyEventsAreRetriedAfterADryRun() throws Exception {
        for (int i = 0; i < 5; i++) {
            center().rows().dead(ShopRows.order("StockReserved", i).build(), "java.io.IOException: away");
        }
        Page page = open("#/orders/events?state=dead&type=StockReserved");
        page.getByText("Act on all matching events").click();
        assertThat(page.locator("dialog .count")).hasText("5");
        page.getByLabel("Reason").fill("the warehouse is back");
        page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Start"))
                .click();
        assertThat(page.locator(".top .badge")).hasText("done");
        assertThat(page.locator(".progress .label")).hasText("5 of 5");
        assertThat(page.locator("tbody tr .badge.done")).hasCount(5);
        org.assertj.core.api.Assertions.assertThat(center().rows().ids("event_type = 'StockReserved' AND status = 0"))
                .hasSize(5);
    }

    @Test
    void deliveredEventsAreRedeliveredToOneHandler() throws Exception {
        for (int i = 0; i < 3; i++) {
            center().rows().delivered("TeaServed", i);
        }
        Page page = open("#/orders/events?type=TeaServed");
        page.getByText("Act on all matching events").click();
        page.locator("dialog select").first().selectOption("redeliver");
        assertThat(page.locator("dialog button.primary")).isDisabled();
        page.getByLabel("To the handler").selectOption("webhook-crm");
        assertThat(page.locator("dialog .count")).hasText("3");
        page.getByLabel("Reason").fill("the CRM lost an hour");
        page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Start"))
                .click();
        assertThat(page.locator("main h1")).hasText("Redeliver");
        assertThat(page.locator(".top .badge")).hasText("done");
        assertThat(page.locator(".progress .label")).hasText("3 of 3");
        assertThat(page.locator("main .facts")).containsText("webhook-crm");
        page.locator("tbody tr td a").nth(1).click();
        assertThat(page.locator("main h1")).hasText("TeaServed");
        assertThat(page.locator(".timeline").first()).containsText("redelivery of");
        org.assertj.core.api.Assertions.assertThat(center().rows().ids("event_type = 'TeaServed' AND status = 0"))
                .hasSize(3);
    }

    @Test
    void oneDeliveredEventIsRedeliveredFromItsPage() throws Exception {
        center().rows().delivered("CakeServed", 1);
        String id = center().rows().ids("event_type = 'CakeServed'").get(0);
        Page page = open("#/orders/events/" + id);
        page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Redeliver"))
                .click();
        page.getByLabel("To the handler").selectOption("mailer");
        assertThat(page.locator("dialog .count")).hasText("1");
        page.getByLabel("Reason").fill("the customer did not get the mail");
        page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Start"))
                .click();
        assertThat(page.locator(".top .badge")).hasText("done");
        assertThat(page.locator("tbody tr")).containsText("mailer does not handle events of type CakeServed");
    }

    @Test
    void whatIsSelectedByKeyIsWhatIsActedOn() throws Exception {
        for (int i = 0; i < 3; i++) {
            center().rows().dead(ShopRows.order("StockCounted", i).build(), "java.io.IOException: away");
        }
        Page page = open("#/orders/events?type=StockCounted");
        assertThat(page.locator("tbody tr")).hasCount(3);
        page.keyboard().press("x");
        page.keyboard().press("j");
        page.keyboard().press("x");
        assertThat(page.locator(".selection b")).hasText("2");
        page.keyboard().press("r");
        assertThat(page.locator("dialog .count")).hasText("2");
    }

    @Test
    void newEventsAreAnnouncedAndDoNotMoveTheRows() throws Exception {
        center().rows().insert(ShopRows.order("TeaBrewed", 1).build());
        Page page = open("#/orders/events?type=TeaBrewed");
        assertThat(page.locator("tbody tr")).hasCount(1);
        center().rows().insert(ShopRows.order("TeaBrewed", 2).build());
        assertThat(page.locator("button.fresh")).containsText("1 new");
        assertThat(page.locator("tbody tr")).hasCount(1);
        page.locator("button.fresh").click();
        assertThat(page.locator("tbody tr")).hasCount(2);
    }

    @Test
    void anErrorGroupLeadsToItsReplay() throws Exception {
        Page page = open("#/orders/errors");
        page.locator(".group", new Page.LocatorOptions().setHasText("HttpTimeoutException"))
                .getByRole(AriaRole.BUTTON)
                .click();
        assertThat(page.locator("dialog .count")).hasText(Pattern.compile("\\d+"));
        page.locator("dialog").getByText("Cancel").click();
        assertThat(page.locator("dialog")).hasCount(0);
    }

    @Test
    void everyFailedDeliveryIsListedByActionTypeAndTime() throws Exception {
        Page page = open("#/orders/failures");
        assertThat(page.locator("tbody tr")).hasCount(50);
        page.locator(".more button").click();
        assertThat(page.locator("tbody tr")).hasCount(65);
        page.getByRole(
                        AriaRole.BUTTON,
                        new Page.GetByRoleOptions().setName("Permanent").setExact(true))
                .click();
        assertThat(page.locator("tbody tr")).hasCount(20);
        page.getByLabel("Event type, exactly").fill("InvoiceIssued");
        page.keyboard().press("Enter");
        assertThat(page.locator("tbody tr")).hasCount(6);
        assertThat(page.locator("tbody tr").first()).containsText("invoice service answered 422");
        page.getByLabel("Time").selectOption("PT1H");
        assertThat(page.locator("tbody tr")).hasCount(6);
        page.locator("tbody tr a").first().click();
        assertThat(page.locator("main h1")).hasText("InvoiceIssued");
    }

    @Test
    void anEventIsClonedWithAnEdit() throws Exception {
        String id = center().rows().dead(ShopRows.order("CupBroken", 1).build(), "java.io.IOException: away");
        Page page = open("#/orders/events/" + id);
        page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Clone"))
                .click();
        page.locator("dialog input[name=aggregateId]").fill("order-9999");
        page.getByText("Write the new event").click();
        assertThat(page.locator(".top .badge")).hasText("New");
        assertThat(page.locator("main")).containsText("order-9999");
        assertThat(page.locator("main")).containsText(id);
    }

    @Test
    void aFilterIsSavedAndOpenedAgain() throws Exception {
        Page page = open("#/orders/events?state=dead");
        page.getByText("Saved views").first().click();
        page.locator("dialog input[name=name]").fill("what is dead");
        page.getByText("Save", new Page.GetByTextOptions().setExact(true)).click();
        assertThat(page.locator("dialog .views li")).hasCount(1);
        visit(page, "#/orders/");
        visit(page, "#/orders/events");
        page.getByText("Saved views").first().click();
        page.getByText("what is dead").click();
        assertThat(page).hasURL(Pattern.compile(".*state=dead.*"));
    }

    @Test
    void aViewerCanLookAndNotTouch() throws Exception {
        center();
        Page page = page(1280, 900, ColorScheme.LIGHT);
        logIn(page, RunningCenter.VIEWER);
        visit(page, "#/orders/events?state=dead");
        assertThat(page.locator("tbody input[type=checkbox]")).hasCount(0);
        assertThat(page.getByText("Act on all matching events")).hasCount(0);
        page.locator("tbody tr a").first().click();
        assertThat(page.getByText("You are not allowed to read payloads.")).isVisible();
        assertThat(page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Retry")))
                .hasCount(0);
    }

    @Test
    void anAdminGivesAPersonOtherRolesAndAPassword() throws Exception {
        center().person("paul");
        Page page = open("#/-users");
        Locator paul = page.locator("tr").filter(new Locator.FilterOptions().setHasText("paul"));
        paul.getByText("Edit").click();
        page.locator("dialog select[name=role]").selectOption("operator");
        page.locator("dialog").getByText("Add a role").click();
        assertThat(page.locator("dialog select[name=role]")).hasCount(2);
        page.locator("dialog button.primary").click();
        assertThat(paul).containsText("orders: operator");
        assertThat(paul).containsText("everywhere: viewer");
        paul.getByText("Set password").click();
        page.locator("dialog input[name=password]").fill("another horse entirely");
        page.locator("dialog button.primary").click();
        assertThat(page.locator("dialog")).hasCount(0);
        Page his = page(1280, 900, ColorScheme.LIGHT);
        logIn(his, "paul", "another horse entirely");
    }

    @Test
    void everybodyChangesHisOwnPasswordAndStaysInFront() throws Exception {
        center().person("olga");
        Page page = page(1280, 900, ColorScheme.LIGHT);
        logIn(page, "olga", RunningCenter.PASSWORD);
        page.getByLabel("Change password").click();
        page.locator("dialog input[name=current]").fill("not the password");
        page.locator("dialog input[name=password]").fill("a horse of my own");
        page.locator("dialog button.primary").click();
        assertThat(page.locator("dialog [role=alert]")).containsText("wrong");
        page.locator("dialog input[name=current]").fill(RunningCenter.PASSWORD);
        page.route(Pattern.compile(".*/api/v1/password"), route -> {
            APIResponse changed = route.fetch();
            // a part of the page that is refused just now asks for the session while the answer is under way
            page.waitForResponse("**/session", () -> page.evaluate("() => dispatchEvent(new Event('outbox:session'))"));
            assertThat(page.locator("dialog")).isVisible();
            route.fulfill(new Route.FulfillOptions().setResponse(changed));
        });
        page.locator("dialog button.primary").click();
        assertThat(page.locator(".toast")).hasText("Password changed.");
        assertThat(page.locator(".side .who .name")).hasText("olga");
        logIn(page(1280, 900, ColorScheme.LIGHT), "olga", "a horse of my own");
    }

    @Test
    void handlersShowTheirCountsAndAnEndpointsSecretIsRotated() throws Exception {
        Page page = open("#/orders/handlers");
        Locator crm = page.locator("tbody tr").filter(new Locator.FilterOptions().setHasText("crm.example.com"));
        assertThat(crm).containsText("48,210");
        crm.getByText("Rotate secret").click();
        page.locator("dialog button.primary").click();
        assertThat(page.locator("section.below tbody tr").first()).containsText("rotate");
        assertThat(page.locator("section.below tbody tr").first()).containsText("waiting for a node");
    }

    @Test
    void newEventsAreThoseOfTheFilterThatIsShown() throws Exception {
        Page page = open("#/orders/events?type=OrderPaid");
        assertThat(page.locator(".live.on")).isVisible();
        page.getByPlaceholder("Type", new Page.GetByPlaceholderOptions().setExact(true))
                .fill("GiftWrapped");
        page.keyboard().press("Enter");
        assertThat(page.locator("main .empty")).hasText("No events match.");
        center().rows().insert(ShopRows.order("GiftWrapped", 1).build());
        assertThat(page.locator("button.fresh")).hasText(Pattern.compile("^1 new events.*"));
    }

    @Test
    void anotherFilterEndsTheQuestionForMoreOfTheOldOne() throws Exception {
        Page page = open("#/orders/events");
        List<Route> held = new CopyOnWriteArrayList<>();
        List<String> ended = new CopyOnWriteArrayList<>();
        page.onRequestFailed(request -> ended.add(request.url()));
        page.route(Pattern.compile(".*/events\\?.*cursor=.*"), held::add);
        page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("More"))
                .click();
        page.waitForCondition(() -> !held.isEmpty());
        page.getByRole(
                        AriaRole.BUTTON,
                        new Page.GetByRoleOptions().setName("Dead").setExact(true))
                .click();
        assertThat(page).hasURL(Pattern.compile(".*state=dead.*"));
        page.waitForCondition(() -> ended.stream().anyMatch(url -> url.contains("cursor=")));
        assertThat(page.locator("tbody tr .badge.done")).hasCount(0);
    }

    @Test
    void whoseSessionIsOverSeesTheLoginFormAndComesBackToHisPage() throws Exception {
        center();
        Page page = page(1280, 900, ColorScheme.LIGHT);
        logIn(page, RunningCenter.ADMIN);
        visit(page, "#/orders/nodes");
        page.context().clearCookies();
        page.getByRole(
                        AriaRole.LINK,
                        new Page.GetByRoleOptions().setName("Error groups").setExact(true))
                .click();
        page.getByLabel("Name").fill(RunningCenter.ADMIN);
        page.getByLabel("Password").fill(RunningCenter.PASSWORD);
        page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Log in"))
                .click();
        assertThat(page.locator("main h1")).hasText("Error groups");
    }

    @Test
    void aStreamThatWasRefusedIsAskedForAgain() throws Exception {
        Page page = open("#/orders/nodes");
        page.route(
                Pattern.compile(".*/stream"),
                route -> route.fulfill(new Route.FulfillOptions().setStatus(404)),
                new Page.RouteOptions().setTimes(1));
        visit(page, "#/orders/");
        assertThat(page.locator(".live.on")).isVisible();
    }

    @Test
    void aDurationHasNoSixtySeconds() throws Exception {
        Page page = open("#/orders/");
        assertEquals("25 min 59 s", page.evaluate("() => import('./i18n.js').then((all) => all.duration(1559.7))"));
        assertEquals("59 s", page.evaluate("() => import('./i18n.js').then((all) => all.duration(59.7))"));
    }

    @Test
    void aLongAggregateIdLeavesTheOtherColumnsInSight() throws Exception {
        center().rows()
                .insert(ShopRows.order("LongAggregateId", 1)
                        .aggregateId("x".repeat(128))
                        .build());
        Page page = open("#/orders/events?type=LongAggregateId");
        assertThat(page.locator("td code").first()).isVisible();
        assertEquals(
                true,
                page.evaluate("() => { const box = document.querySelector('table').parentElement;"
                        + " return box.scrollWidth <= box.clientWidth; }"));
    }

    @Test
    void theSettingsSayWhichVersionRuns() throws Exception {
        Page page = open("#/-settings");
        assertThat(page.locator("main")).containsText(Pattern.compile("Version\\s*\\d+\\.\\d+\\.\\d+"));
    }

    @Test
    void figuresAreNotCalledLiveWhileTheDatabaseIsAway() throws Exception {
        Page page = open("#/orders/nodes");
        page.route(
                Pattern.compile(".*/stream"),
                route -> route.fulfill(
                        new Route.FulfillOptions()
                                .setContentType("text/event-stream")
                                .setBody(
                                        "retry: 60000\n\nevent: problem\ndata: {\"problem\":\"cannot read the outbox table\"}\n\n")));
        visit(page, "#/orders/");
        assertThat(page.getByText("cannot read the outbox table")).isVisible();
        assertThat(page.locator(".live.on")).hasCount(0);
    }

    @Test
    void theOverviewSaysWhatTheDoctorFound() throws Exception {
        Page page = open("#/orders/");
        Locator card = page.locator("section.card").filter(new Locator.FilterOptions().setHasText("Doctor findings"));
        assertThat(card.locator("li").first()).isVisible();
        card.locator("summary").first().click();
        assertThat(card.locator("details[open] p").first()).isVisible();
    }
}
