package outbox.torture;

import java.util.List;
import java.util.Locale;

/** Puts results into one table, in Markdown that also reads well as it is. */
final class Report {
    private static final List<String> HEAD = List.of(
            "test",
            "events",
            "faults",
            "lost",
            "phantom",
            "duplicates",
            "allowed",
            "order",
            "recovery",
            "limit",
            "took",
            "verdict");

    private Report() {}

    static String table(List<CaseResult> results) {
        List<List<String>> lines = results.stream().map(Report::cells).toList();
        int[] widths = new int[HEAD.size()];
        for (int i = 0; i < widths.length; i++) {
            int column = i;
            widths[i] = Math.max(
                    HEAD.get(i).length(),
                    lines.stream()
                            .mapToInt(line -> line.get(column).length())
                            .max()
                            .orElse(0));
        }
        StringBuilder table = new StringBuilder();
        line(table, HEAD, widths);
        table.append('|');
        for (int i = 0; i < widths.length; i++) {
            boolean text = isText(i);
            table.append(' ').append("-".repeat(widths[i] - (text ? 0 : 1))).append(text ? " |" : ": |");
        }
        table.append('\n');
        lines.forEach(cells -> line(table, cells, widths));
        return table.toString();
    }

    private static boolean isText(int column) {
        return column == 0 || column == HEAD.size() - 1;
    }

    private static void line(StringBuilder table, List<String> cells, int[] widths) {
        table.append('|');
        for (int i = 0; i < widths.length; i++) {
            String space = " ".repeat(widths[i] - cells.get(i).length());
            table.append(' ')
                    .append(isText(i) ? cells.get(i) + space : space + cells.get(i))
                    .append(" |");
        }
        table.append('\n');
    }

    private static List<String> cells(CaseResult result) {
        return List.of(
                result.what(),
                number(result.events()),
                number(result.faults()),
                number(result.lost()),
                number(result.phantoms()),
                number(result.duplicates()),
                number(result.allowedDuplicates()),
                number(result.orderViolations()),
                seconds(result.recoveryMillis()),
                seconds(result.recoveryLimitMillis()),
                result.seconds() + " s",
                result.passed() ? "ok" : "FAILED");
    }

    private static String number(long value) {
        return value < 0 ? "–" : Long.toString(value);
    }

    private static String seconds(long millis) {
        return millis < 0 ? "–" : String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
    }
}
