package outbox.benchmark;

import java.io.PrintStream;

/**
 * What a scenario gets from the run it is part of.
 *
 * @param server the one server of this run
 * @param scale how much a counted round does
 * @param progress where lines about long work go
 */
public record Bench(BenchServer server, Scale scale, PrintStream progress) {

    public void say(String line) {
        progress.println(line);
    }

    /** An empty database of the scenario's own. */
    public BenchDatabase database() {
        return server.freshDatabase();
    }
}
