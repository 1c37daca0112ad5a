package outbox.benchmark.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The page of the documentation that shows a run: marked sections for each database, handlers and
 * publishers, and one for the rows of each in the appendix. Stateless.
 */
public final class DocsPage {
    private DocsPage() {}

    /**
     * Replaces one section.
     *
     * @throws IllegalStateException if the page has no such section
     */
    public static void update(Path page, String name, String section) throws IOException {
        String text = Files.readString(page);
        String begin = "<!-- benchmark " + name + " begin -->";
        String end = "<!-- benchmark " + name + " end -->";
        int from = text.indexOf(begin);
        int to = text.indexOf(end);
        if (from < 0 || to < from) {
            throw new IllegalStateException(page + " has no section between '" + begin + "' and '" + end + "'");
        }
        Files.writeString(
                page,
                text.substring(0, from + begin.length()) + "\n\n" + section.strip() + "\n\n" + text.substring(to));
    }
}
