package outbox.control.server.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the page computes, without a page around it. */
class PageFunctionsIT extends BrowserTest {
    private Page page;

    @BeforeEach
    void openAPage() throws Exception {
        page = open("#/-settings");
    }

    /** @param call such as {@code parse('state:dead')} */
    private Object evaluate(String module, String call) {
        return page.evaluate("() => import('./" + module + ".js').then((all) => all." + call + ")");
    }

    @Test
    void aTypedTextIsAFilterAndAFilterIsAText() {
        assertThat(evaluate("query", "parse('state:dead error:\"timed out\" key:order-7 from:7d').params"))
                .isEqualTo(Map.of("state", "dead", "error", "timed out", "aggregateId", "order-7", "from", "P7D"));
        assertThat(evaluate("query", "parse('Order').params")).isEqualTo(Map.of("type", "Order*"));
        assertThat(evaluate("query", "parse('order-1000').params")).isEqualTo(Map.of("aggregateId", "order-1000"));
        assertThat(evaluate("query", "parse('01ARZ3NDEKTSV4RRFFQ69G5FAV').params"))
                .isEqualTo(Map.of("id", "01ARZ3NDEKTSV4RRFFQ69G5FAV"));
        assertThat(evaluate("query", "parse('colour:red').unknown")).isEqualTo(List.of("colour"));
        assertThat(evaluate(
                        "query", "format(new URLSearchParams('state=dead&error=a+%22b%22&from=PT1H&order=oldest'))"))
                .isEqualTo("state:dead error:\"a \\\"b\\\"\" from:1h");
    }

    @Test
    void jsonIsReadAndPrintedWithoutChangingANumber() {
        String json = "{\"a\":12345678901234567890,\"b\":[1.10,1e400],\"c\":\"\\u0041\"}";
        assertThat(evaluate("exactjson", "flatten(all.parseExact('" + json.replace("\\", "\\\\") + "'))"))
                .isEqualTo(List.of(
                        List.of("a", "12345678901234567890"),
                        List.of("b[0]", "1.10"),
                        List.of("b[1]", "1e400"),
                        List.of("c", "\"A\"")));
        assertThat(page.evaluate("() => import('./payload.js').then((all) => all.readable('{\"a\":1,}'))"))
                .isNull();
    }

    @Test
    void theBannerTellsAnApplicationThatIsAwayFromADatabaseThatIs() {
        assertThat(evaluate("banner", "troubles({ problem: 'x', away: true })[0].text"))
                .isEqualTo("The application is unreachable");
        assertThat(evaluate("banner", "troubles({ problem: 'x' })[0].text")).isEqualTo("The database is unreachable");
    }

    @Test
    void axesAreRoundAndASpikeDoesNotFlattenTheRest() {
        assertThat(evaluate("scale", "valueTicks(924)")).isEqualTo(List.of(0, 250, 500, 750, 1000));
        assertThat(evaluate("scale", "valueTicks(150, { seconds: true })")).isEqualTo(List.of(0, 60, 120, 180));
        assertThat(evaluate("scale", "valueTicks(0)")).isEqualTo(List.of(0, 1));
        assertThat(evaluate("scale", "timeTicks(Date.UTC(2026, 0, 1, 12, 3), Date.UTC(2026, 0, 1, 13, 3)).length"))
                .isEqualTo(6);
        assertThat(evaluate("scale", "ceiling([...Array(40).fill(10), 5000])"))
                .isEqualTo(Map.of("top", 30, "clipped", true));
        assertThat(evaluate("scale", "ceiling([1, 2, 3])")).isEqualTo(Map.of("top", 3, "clipped", false));
        assertThat(evaluate("scale", "sections([0, 1, 2, 10, 11], [1, 2, null, 4, 5], 2)"))
                .isEqualTo(List.of(List.of(0, 1), List.of(3, 4)));
    }

    @Test
    void timesAndSizesAreShortAndHaveUnits() {
        assertThat(evaluate("i18n", "relative('2026-01-01T12:00:00Z', Date.parse('2026-01-01T12:03:59Z'))"))
                .isEqualTo("3 min ago");
        assertThat(evaluate("i18n", "relative('2026-01-03T12:00:00Z', Date.parse('2026-01-01T12:00:00Z'))"))
                .isEqualTo("in 2 d");
        assertThat(evaluate("i18n", "bytes(1536)")).isEqualTo("1.5 KB");
        assertThat(evaluate("i18n", "percent(99.999)"))
                .as("not 100 % while something fails")
                .isEqualTo("99.99 %");
        assertThat(evaluate("i18n", "number(10001)")).isEqualTo("10,000+");
    }

    @Test
    void anApplicationIsCalledByTheWorstAboutIt() {
        String fine = "{ nodes: 2, nodesAlive: 2, oldestSeconds: 0, heldBack: 0, dead: 0 }";
        assertThat(evaluate("status", "verdict({ sample: " + fine + " })")).isEqualTo("ok");
        assertThat(evaluate("status", "verdict({ sample: { ..." + fine + ", dead: 3 } })"))
                .isEqualTo("dead");
        assertThat(evaluate("status", "verdict({ sample: { ..." + fine + ", nodesAlive: 0 } })"))
                .isEqualTo("stopped");
        assertThat(evaluate("status", "verdict({ problem: 'away', sample: " + fine + " })"))
                .isEqualTo("unreachable");
    }

    @Test
    void anOperationTakesAsLongAsItsRateSoFarSays() {
        String half = "{ succeeded: 50, refused: 0, total: 100, perSecond: 10, createdAt: '2026-01-01T12:00:00Z' }";
        assertThat(evaluate("operation", "secondsLeft(" + half + ", Date.parse('2026-01-01T12:00:50Z'))"))
                .isEqualTo(50);
        assertThat(evaluate("operation", "secondsLeft(" + half + ", Date.parse('2026-01-01T12:00:01Z'))"))
                .as("never faster than allowed")
                .isEqualTo(5);
    }
}
