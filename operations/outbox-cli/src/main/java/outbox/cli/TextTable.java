package outbox.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;

/** A text table. Cells too long for their column are truncated if the width of the terminal is known. */
final class TextTable {
    private static final int MIN_LAST = 20;

    private final List<String> titles;
    private final List<List<String>> rows = new ArrayList<>();

    TextTable(String... titles) {
        this.titles = List.of(titles);
    }

    void add(@Nullable Object... cells) {
        rows.add(Arrays.stream(cells).map(Printable::line).toList());
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }

    /** @param width of the terminal, or 0 if there is none */
    void print(PrintWriter out, Ansi ansi, int width) {
        int[] widths = new int[titles.size()];
        for (int i = 0; i < widths.length; i++) {
            widths[i] = width(titles.get(i));
            for (List<String> row : rows) {
                widths[i] = Math.max(widths[i], width(row.get(i)));
            }
        }
        if (width > 0) {
            int before = Arrays.stream(widths, 0, widths.length - 1).sum() + 2 * (widths.length - 1);
            int last = widths.length - 1;
            widths[last] = Math.min(widths[last], Math.max(MIN_LAST, width - before));
        }
        out.println(ansi.new Text("@|bold " + line(titles, widths) + "|@"));
        rows.forEach(row -> out.println(line(row, widths)));
    }

    private static String line(List<String> cells, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String cell = cut(cells.get(i), widths[i]);
            line.append(cell);
            if (i < widths.length - 1) {
                line.append(" ".repeat(widths[i] - width(cell) + 2));
            }
        }
        return line.toString().stripTrailing();
    }

    private static String cut(String cell, int width) {
        if (width(cell) <= width) {
            return cell;
        }
        StringBuilder cut = new StringBuilder();
        for (int i = 0; i < cell.length(); i = cell.offsetByCodePoints(i, 1)) {
            int c = cell.codePointAt(i);
            if (width(cut.toString()) + columns(c) > width - 1) {
                break;
            }
            cut.appendCodePoint(c);
        }
        return cut.append('…').toString();
    }

    private static int width(String text) {
        return text.codePoints().map(TextTable::columns).sum();
    }

    /** Chinese, Japanese and Korean characters take two columns. */
    private static int columns(int c) {
        boolean wide = (c >= 0x1100 && c <= 0x115F)
                || (c >= 0x2E80 && c <= 0xA4CF)
                || (c >= 0xAC00 && c <= 0xD7A3)
                || (c >= 0xF900 && c <= 0xFAFF)
                || (c >= 0xFE30 && c <= 0xFE6F)
                || (c >= 0xFF00 && c <= 0xFF60)
                || (c >= 0xFFE0 && c <= 0xFFE6)
                || (c >= 0x1F300 && c <= 0x1FAFF)
                || (c >= 0x20000 && c <= 0x3FFFD);
        return wide ? 2 : 1;
    }
}
