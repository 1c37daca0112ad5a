package outbox.samples.demo;

import java.io.PrintStream;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What the reader sees: numbered steps, what happens in them and when, and what the engine logs meanwhile. */
final class Console {
    private static final int WIDTH = 100;

    private final PrintStream out;
    private int steps;
    private long stepStart;

    Console(PrintStream out) {
        this.out = out;
    }

    synchronized void title(String text) {
        out.println();
        out.println(text);
        out.println("=".repeat(text.length()));
    }

    synchronized void step(String title, String why) {
        out.println();
        out.println(++steps + ". " + title);
        out.println(indented("   ", "   ", why));
        stepStart = System.nanoTime();
    }

    /** Something the business code, a listener or the engine does, with the seconds since the step began. */
    synchronized void does(String who, String what) {
        double seconds = (System.nanoTime() - stepStart) / 1e9;
        out.println(indented("     %4.2f s  %-9s ".formatted(seconds, who), " ".repeat(23), what));
    }

    /** What the reader should take from a step. */
    synchronized void therefore(String text) {
        out.println(indented("   => ", "      ", text));
    }

    synchronized void table(List<List<String>> rows) {
        for (List<String> row : rows) {
            out.println("   %-7s %-12s %-7s %-9s %s".formatted(row.toArray()).stripTrailing());
        }
    }

    /** Shows the engine's warnings and errors among the steps instead of on standard error. */
    void showEngineLog() {
        LogManager.getLogManager().reset();
        Logger.getLogger("outbox").addHandler(new Handler() {
            @Override
            public void publish(LogRecord entry) {
                if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
                    does("log", entry.getLevel() + " " + entry.getMessage());
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        });
    }

    /** Breaks the text between words. */
    private static String indented(String first, String others, String text) {
        StringBuilder result = new StringBuilder();
        StringBuilder line = new StringBuilder(first);
        boolean empty = true;
        for (String word : text.split("\\s+", -1)) {
            if (!empty && line.length() + 1 + word.length() > WIDTH) {
                result.append(line).append('\n');
                line = new StringBuilder(others);
                empty = true;
            }
            line.append(empty ? "" : " ").append(word);
            empty = false;
        }
        return result.append(line).toString();
    }
}
