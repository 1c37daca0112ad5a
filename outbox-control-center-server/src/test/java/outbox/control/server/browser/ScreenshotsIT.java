package outbox.control.server.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Takes the pictures of docs/control-center.md; with {@code -Ddocs.update} it writes them there. */
class ScreenshotsIT extends BrowserTest {
    private static final Path DOCS = Path.of("../docs");
    private static final String OVERVIEW = "#/orders/";
    private static final int LARGEST = 150_000;

    @Test
    void everyPageHasItsPictureInTheDocs() throws Exception {
        Path images = System.getProperty("docs.update") == null
                ? Path.of("target/screenshots")
                : DOCS.resolve("images/control-center");
        Files.createDirectories(images);
        String text = Files.readString(DOCS.resolve("control-center.md"));
        Page light = open(OVERVIEW, 1180, 760, ColorScheme.LIGHT);
        for (Map.Entry<String, String> entry : EveryPage.of(center()).entrySet()) {
            take(light, entry.getValue(), images.resolve(entry.getKey() + ".png"));
            assertThat(text).contains("images/control-center/" + entry.getKey() + ".png");
        }
        take(open(OVERVIEW, 1180, 760, ColorScheme.DARK), "#/orders/events", images.resolve("events-dark.png"));
        take(open(OVERVIEW, 360, 740, ColorScheme.LIGHT), OVERVIEW, images.resolve("overview-phone.png"));
    }

    private void take(Page page, String path, Path file) throws Exception {
        visit(page, path);
        if (path.equals(OVERVIEW)) { // what comes by itself, a little later
            for (String part : List.of(".live.on", ".chart-box .max", ".ranked li", ".plain code", ".plain details")) {
                page.locator(part).first().waitFor();
            }
        }
        page.screenshot(new Page.ScreenshotOptions().setPath(file));
        assertThat(Files.size(file)).as(file.toString()).isLessThan(LARGEST);
    }
}
