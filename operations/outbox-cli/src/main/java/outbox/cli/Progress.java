package outbox.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import tools.jackson.databind.JsonNode;

/** Shows the progress of an operation on standard error: a bar on a terminal, periodic lines elsewhere. */
final class Progress {
    private static final Duration PAUSE = Duration.ofMillis(500);
    private static final Duration LINE_EVERY = Duration.ofSeconds(5);
    private static final Set<String> ENDS = Set.of("done", "cancelled", "failed", "paused");
    private static final int WIDTH = 30;

    private final PrintWriter err;
    private final boolean terminal;
    private long lastLine = System.nanoTime() - LINE_EVERY.toNanos();

    Progress(CommandSpec spec) {
        this.err = spec.commandLine().getErr();
        this.terminal = Screen.isTerminal(spec);
    }

    /** @return the operation in its final or paused state */
    JsonNode follow(Supplier<JsonNode> look) {
        while (true) {
            JsonNode operation = look.get();
            boolean end = ENDS.contains(operation.path("state").asString(""));
            show(operation, end);
            if (end) {
                return operation;
            }
            LockSupport.parkNanos(PAUSE.toNanos());
            if (Thread.currentThread().isInterrupted()) {
                throw new CliException(ExitCode.CANNOT_RUN, "interrupted; the operation continues on the server");
            }
        }
    }

    private void show(JsonNode operation, boolean end) {
        String line = line(operation);
        if (terminal) {
            err.print("\r" + line + "\u001B[K" + (end ? "\n" : ""));
        } else if (end || System.nanoTime() - lastLine >= LINE_EVERY.toNanos()) {
            lastLine = System.nanoTime();
            err.println(line);
        }
        err.flush();
    }

    /** For instance {@code [##########····················] 34 %  170/500, 2 refused, running}. */
    static String line(JsonNode operation) {
        long total = operation.path("total").asLong(0);
        long refused = operation.path("refused").asLong(0);
        long done = operation.path("succeeded").asLong(0) + refused;
        int filled = total == 0 ? 0 : (int) (WIDTH * done / total);
        return "[" + "#".repeat(filled) + "·".repeat(WIDTH - filled) + "] "
                + (total == 0 ? 0 : 100 * done / total) + " %  " + done + "/" + total
                + (refused == 0 ? "" : ", " + refused + " refused") + ", "
                + Printable.line(operation.path("state").asString(""));
    }

    static int exitCode(JsonNode operation) {
        return switch (operation.path("state").asString("")) {
            case "done" -> operation.path("refused").asLong(0) == 0 ? ExitCode.OK : ExitCode.FOUND;
            case "failed" -> ExitCode.REFUSED;
            default -> ExitCode.FOUND;
        };
    }
}
