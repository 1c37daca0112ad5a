package outbox.control.server.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Takes the pictures of docs/control-center.md; with {@code -Ddocs.update} it writes them there. */
class ScreenshotsIT extends BrowserTest {
    private static final Path DOCS = Path.of("../../docs");
    private static final String OVERVIEW = "#/orders/";
    private static final int LARGEST = 300_000;
    /** What comes by itself, a little later. */
    private static final Map<String, List<String>> LATER = Map.of(
            OVERVIEW,
            List.of(".live.on", "svg.chart", ".ranked li", ".plain code", ".plain details"),
            "#/orders/operations",
            List.of(".badge.done"),
            "#/orders/alerts",
            List.of(".badge.dead"));

    private final boolean forTheDocs = System.getProperty("docs.update") != null;
    private final Path images = forTheDocs ? DOCS.resolve("images/control-center") : Path.of("target/screenshots");

    @Test
    void everyPageHasItsPictureInTheDocs() throws Exception {
        Files.createDirectories(images);
        try (ShopDay day = new ShopDay(center())) {
            day.tellTheOneOnCall();
            day.trade(forTheDocs ? Duration.ofSeconds(90) : Duration.ofSeconds(1));
            Page light = open(OVERVIEW, 1440, 900, ColorScheme.LIGHT);
            for (Map.Entry<String, String> entry : EveryPage.of(center()).entrySet()) {
                if (entry.getKey().equals("operations")) {
                    day.replay();
                }
                take(light, entry.getValue(), entry.getKey());
            }
            Page dark = open(OVERVIEW, 1180, 760, ColorScheme.DARK);
            take(dark, "#/orders/events", "events-dark");
            take(dark, OVERVIEW, "overview-dark");
            Page phone = open(OVERVIEW, 390, 844, ColorScheme.LIGHT);
            for (String page : List.of("overview", "events", "handlers")) {
                take(phone, EveryPage.of(center()).get(page), page + "-phone");
            }
            light.getByText("中文").click();
            take(light, "#/orders/errors", "errors-chinese");
            dark.getByText("中文").click();
            take(dark, EveryPage.of(center()).get("event"), "event-chinese-dark");
        }
    }

    /** Every page on three screens, by day and by night, in both languages; in {@code target/screenshots}. */
    @Test
    void everyPageFitsEveryScreenInBothLanguages() throws Exception {
        Path all = Path.of("target/screenshots/all");
        Files.createDirectories(all);
        try (ShopDay day = new ShopDay(center())) {
            day.tellTheOneOnCall();
            day.trade(Duration.ofSeconds(30));
            day.replay();
        }
        Page page = open(OVERVIEW, 1440, 900, ColorScheme.LIGHT);
        for (String language : List.of("en", "zh")) {
            page.evaluate("language => localStorage.setItem('outbox.language', language)", language);
            page.reload();
            for (Map.Entry<String, String> entry : EveryPage.of(center()).entrySet()) {
                page.setViewportSize(1440, 900);
                visit(page, entry.getValue());
                for (Screen screen : SCREENS) {
                    page.setViewportSize(screen.width(), screen.height());
                    for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
                        page.evaluate(
                                "theme => document.documentElement.dataset.theme = theme",
                                scheme.name().toLowerCase(Locale.ROOT));
                        page.screenshot(new Page.ScreenshotOptions()
                                .setFullPage(screen.width() < 1000)
                                .setPath(all.resolve(entry.getKey() + "-" + screen.width() + "-"
                                        + scheme.name().toLowerCase(Locale.ROOT) + "-" + language + ".png")));
                    }
                    assertThat(page.evaluate("document.documentElement.scrollWidth"))
                            .as("%s, %s px, %s", entry.getKey(), screen.width(), language)
                            .isEqualTo(screen.width());
                }
            }
        }
    }

    private record Screen(int width, int height) {}

    private static final List<Screen> SCREENS =
            List.of(new Screen(1440, 900), new Screen(1180, 760), new Screen(390, 844));

    private void take(Page page, String path, String name) throws Exception {
        Path file = images.resolve(name + ".png");
        visit(page, path);
        for (String part : LATER.getOrDefault(path, List.of())) {
            page.locator(part).first().waitFor();
        }
        assertThat(Files.readString(DOCS.resolve("control-center.md")))
                .contains("images/control-center/" + name + ".png");
        page.screenshot(new Page.ScreenshotOptions().setPath(file));
        assertThat(Files.size(file)).as(file.toString()).isLessThan(LARGEST);
    }
}
