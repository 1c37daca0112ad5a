package outbox.torture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Puts the table of a run into the page that shows it, between two marks that are comments there. */
final class ReliabilityPage {
    private ReliabilityPage() {}

    static void update(Path page, String database, String table, String summary) throws IOException {
        String text = Files.readString(page);
        String begin = "<!-- torture " + database + " -->";
        String end = "<!-- end of torture " + database + " -->";
        int from = text.indexOf(begin);
        int to = text.indexOf(end);
        if (from < 0 || to < from) {
            throw new IllegalStateException(
                    page + " has no place for " + database + ": add the lines " + begin + " and " + end);
        }
        Files.writeString(
                page, text.substring(0, from + begin.length()) + "\n" + summary + "\n\n" + table + text.substring(to));
    }
}
