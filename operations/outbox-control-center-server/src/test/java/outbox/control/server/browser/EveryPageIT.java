package outbox.control.server.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.args.AxeRunOptions;
import com.deque.html.axecore.playwright.AxeBuilder;
import com.deque.html.axecore.results.Rule;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What holds for every page: nobody is shut out, and nothing runs off a small screen. */
class EveryPageIT extends BrowserTest {
    @Test
    void axeFindsNothing() throws Exception {
        axeFindsNothing(ColorScheme.LIGHT, axe -> axe);
    }

    /** By day and by night the pages differ in their colours alone. */
    @Test
    void axeFindsNothingInTheDark() throws Exception {
        List<String> rules = List.of("color-contrast", "link-in-text-block");
        axeFindsNothing(ColorScheme.DARK, axe -> axe.withRules(rules));
    }

    private void axeFindsNothing(ColorScheme scheme, UnaryOperator<AxeBuilder> rules) throws Exception {
        Page page = open("#/orders/", 1280, 900, scheme);
        for (Map.Entry<String, String> entry : EveryPage.of(center()).entrySet()) {
            visit(page, entry.getValue());
            List<Rule> violations = rules.apply(axe(page)).analyze().getViolations();
            assertThat(violations)
                    .as("%s, %s", entry.getKey(), scheme)
                    .extracting(rule -> rule.getId() + " " + rule.getNodes())
                    .isEmpty();
        }
    }

    /** Reports what is wrong and not, node by node, all that is right; pages have no frames of other origins. */
    private static AxeBuilder axe(Page page) {
        AxeRunOptions options = new AxeRunOptions();
        options.setResultTypes(List.of("violations"));
        return new AxeBuilder(page).options(options).setLegacyMode(true);
    }

    @Test
    void nothingRunsOffAPhone() throws Exception {
        Page page = open("#/orders/", 360, 740, ColorScheme.LIGHT);
        for (Map.Entry<String, String> entry : EveryPage.of(center()).entrySet()) {
            visit(page, entry.getValue());
            Object width = page.evaluate("document.documentElement.scrollWidth");
            assertThat(width).as(entry.getKey()).isEqualTo(360);
        }
    }
}
