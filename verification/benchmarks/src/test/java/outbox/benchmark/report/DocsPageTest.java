package outbox.benchmark.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DocsPageTest {
    @TempDir
    Path directory;

    @Test
    void onlyTheSectionOfTheDatabaseIsReplaced() throws IOException {
        Path page = Files.writeString(
                directory.resolve("page.md"),
                "before\n<!-- benchmark mysql begin -->\nold\n<!-- benchmark mysql end -->\nafter\n");

        DocsPage.update(page, "mysql", "new\n");
        DocsPage.update(page, "mysql", "newer\n");

        assertThat(Files.readString(page))
                .isEqualTo("before\n<!-- benchmark mysql begin -->\n\nnewer\n\n<!-- benchmark mysql end -->\nafter\n");
    }

    @Test
    void aPageWithoutTheSectionIsRefused() throws IOException {
        Path page = Files.writeString(directory.resolve("page.md"), "nothing here\n");

        assertThatThrownBy(() -> DocsPage.update(page, "mysql", "new"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("benchmark mysql begin");
    }
}
