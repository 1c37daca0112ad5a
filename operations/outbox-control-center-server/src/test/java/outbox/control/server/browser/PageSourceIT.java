package outbox.control.server.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The source of the page is formatted; with {@code -Dpage.format} it is written so. Prettier runs in the browser, without Node. */
class PageSourceIT extends BrowserTest {
    private static final Path SOURCE = Path.of("../outbox-control-center/src/main/resources/outbox/control/ui")
            .toAbsolutePath();
    private static final String PRETTIER = "/META-INF/resources/webjars/prettier/3.6.2/";
    private static final int MAX_LINE = 120;
    private static final int MAX_LINES = 500;

    @Test
    void everyFileIsAsPrettierFormatsIt() throws Exception {
        Chromium.shared();
        Page page = page(800, 600, ColorScheme.LIGHT);
        for (String script : List.of("standalone.js", "plugins/babel.js", "plugins/estree.js", "plugins/postcss.js")) {
            page.addScriptTag(new Page.AddScriptTagOptions().setContent(resource(script)));
        }
        for (Path file : files()) {
            String text = Files.readString(file);
            String formatted =
                    (String) page.evaluate("""
                    ([text, parser]) => prettier.format(text, {
                      parser, plugins: prettierPlugins, printWidth: 120, singleQuote: true, quoteProps: 'consistent' })""", List.of(text, file.toString().endsWith(".css") ? "css" : "babel"));
            if (System.getProperty("page.format") != null) {
                Files.writeString(file, formatted);
            } else {
                assertThat(text)
                        .as(file.getFileName() + " is not formatted; run this test with -Dpage.format")
                        .isEqualTo(formatted);
            }
        }
    }

    @Test
    void filesAndLinesAreShort() throws Exception {
        for (Path file : files()) {
            List<String> lines = Files.readAllLines(file);
            assertThat(lines).as(file.toString()).hasSizeLessThanOrEqualTo(MAX_LINES);
            assertThat(lines)
                    .as(file.toString())
                    .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(MAX_LINE));
        }
    }

    /** What a page says in English, it says in Chinese. */
    @Test
    void everyTextIsTranslated() throws Exception {
        Page page = open("#/-settings");
        for (Path file : files()) {
            if (file.toString().endsWith(".js") && !file.endsWith("app.js")) {
                page.evaluate("name => import('./' + name)", file.getFileName().toString());
            }
        }
        assertThat(page.evaluate("""
                async (texts) => {
                  const i18n = await import('./i18n.js');
                  i18n.use('zh');
                  const missing = texts.filter((text) => i18n.t(text) === text);
                  i18n.use('en');
                  return missing;
                }""", texts())).isEqualTo(List.of());
    }

    /** Literals that are translated: arguments of {@code t}, and the names of columns. */
    private static List<String> texts() throws IOException {
        var literal = java.util.regex.Pattern.compile("(?:\\bt\\('|name: '(?=[A-Z]))((?:[^'\\\\]|\\\\.)*)'");
        return files().stream()
                .flatMap(file -> {
                    try {
                        return literal.matcher(Files.readString(file)).results().map(found -> found.group(1));
                    } catch (IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                })
                .filter(text -> !text.endsWith(" ") && !text.startsWith("state:")) // part of a text, or a query
                .distinct()
                .sorted()
                .toList();
    }

    private static List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(SOURCE)) {
            return files.filter(file -> file.toString().matches(".*\\.(js|css)"))
                    .sorted()
                    .toList();
        }
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = PageSourceIT.class.getResourceAsStream(PRETTIER + name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
