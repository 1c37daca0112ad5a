package outbox.benchmark.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import outbox.benchmark.BenchServer;

/** The page of the documentation that shows a run: one marked section for each database. Stateless. */
public final class DocsPage {
    private DocsPage() {}

    /**
     * Replaces the section of one database.
     *
     * @throws IllegalStateException if the page has no such section
     */
    public static void update(Path page, BenchServer.Kind kind, String section) throws IOException {
        String text = Files.readString(page);
        String begin = "<!-- benchmark " + kind.id() + " begin -->";
        String end = "<!-- benchmark " + kind.id() + " end -->";
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
