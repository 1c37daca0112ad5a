package outbox.control.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The page stays light, and nothing in it is inline or comes from elsewhere. */
class UiSizeTest {
    private static final int MAX_SCRIPT = 120 * 1024;
    private static final int MAX_STYLE = 20 * 1024;

    private static FileSystem jar;
    private static Path directory;

    @BeforeAll
    static void find() throws Exception {
        URI index =
                UiSizeTest.class.getResource("/outbox/control/ui/index.html").toURI();
        if (index.getScheme().equals("jar")) { // from target/classes where nothing was packaged
            jar = FileSystems.newFileSystem(index, Map.of());
        }
        directory = Path.of(index).getParent();
    }

    @AfterAll
    static void close() throws IOException {
        if (jar != null) {
            jar.close();
        }
    }

    @Test
    void scriptsAndStylesStayWithinTheirBudget() throws Exception {
        assertThat(zipped(".js")).isBetween(1, MAX_SCRIPT);
        assertThat(zipped(".css")).isBetween(1, MAX_STYLE);
    }

    @Test
    void nothingIsInlineOrFromElsewhere() throws Exception {
        String html = Files.readString(directory.resolve("index.html"));
        assertThat(html).doesNotContainPattern("<script(?![^>]*src=)").doesNotContain("<style", "onclick", "style=");
        for (Path file : files(".js")) {
            if (file.getParent().endsWith("vendor")) {
                continue; // Preact offers what our own files do not use
            }
            assertThat(Files.readString(file))
                    .as(file.toString())
                    .doesNotContain("dangerouslySetInnerHTML", "eval(", "new Function", "document.write");
        }
        for (Path file : files(".css")) {
            assertThat(Files.readString(file)).doesNotContain("http", "@import");
        }
    }

    private static int zipped(String ending) throws IOException {
        int total = 0;
        for (Path file : files(ending)) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
                zip.write(Files.readAllBytes(file));
            }
            total += bytes.size();
        }
        return total;
    }

    private static List<Path> files(String ending) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(ending)).toList();
        }
    }
}
