package outbox.torture;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Puts results into one table, in Markdown that also reads well as it is. */
final class Report {
    private Report() {}

    static String table(List<CaseResult> results) {
        boolean failover =
                results.stream().anyMatch(result -> result.unreplicated().isPossible());
        List<List<String>> lines = new ArrayList<>();
        Set<String> figures = new LinkedHashSet<>();
        results.forEach(result -> figures.addAll(result.figures().keySet()));
        lines.add(head(failover, figures));
        results.forEach(result -> lines.add(cells(result, failover, figures)));
        int[] widths = new int[lines.get(0).size()];
        for (List<String> cells : lines) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], cells.get(i).length());
            }
        }
        StringBuilder table = new StringBuilder();
        line(table, lines.get(0), widths);
        table.append('|');
        for (int i = 0; i < widths.length; i++) {
            boolean text = isText(i, widths);
            table.append(' ').append("-".repeat(widths[i] - (text ? 0 : 1))).append(text ? " |" : ": |");
        }
        table.append('\n');
        lines.stream().skip(1).forEach(cells -> line(table, cells, widths));
        return table.toString();
    }

    private static boolean isText(int column, int[] widths) {
        return column == 0 || column == widths.length - 1;
    }

    private static void line(StringBuilder table, List<String> cells, int[] widths) {
        table.append('|');
        for (int i = 0; i < widths.length; i++) {
            String space = " ".repeat(widths[i] - cells.get(i).length());
            table.append(' ')
                    .append(isText(i, widths) ? cells.get(i) + space : space + cells.get(i))
                    .append(" |");
        }
        table.append('\n');
    }

    private static List<String> head(boolean failover, Set<String> figures) {
        List<String> head = new ArrayList<>(
                List.of("test", "events", "faults", "lost", "phantom", "duplicates", "allowed", "order"));
        if (failover) {
            head.add("not replicated");
        }
        head.addAll(figures);
        head.addAll(List.of("recovery", "limit", "took", "verdict"));
        return head;
    }

    private static List<String> cells(CaseResult result, boolean failover, Set<String> figures) {
        List<String> cells = new ArrayList<>(List.of(
                result.what(),
                number(result.events()),
                number(result.faults()),
                number(result.lost()),
                number(result.phantoms()),
                number(result.duplicates()),
                number(result.allowedDuplicates()),
                number(result.orderViolations())));
        if (failover) {
            cells.add(result.unreplicated().toString());
        }
        figures.forEach(figure -> cells.add(result.figures().getOrDefault(figure, "–")));
        cells.addAll(List.of(
                seconds(result.recoveryMillis()),
                seconds(result.recoveryLimitMillis()),
                result.seconds() + " s",
                result.passed() ? "ok" : "FAILED"));
        return cells;
    }

    private static String number(long value) {
        return value < 0 ? "–" : Long.toString(value);
    }

    private static String seconds(long millis) {
        return millis < 0 ? "–" : String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
    }
}
