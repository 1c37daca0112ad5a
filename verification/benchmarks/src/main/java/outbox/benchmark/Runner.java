package outbox.benchmark;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Takes the rounds of all scenarios in turn: forwards in odd rounds, backwards in even ones (ABBA), after one round
 * that does not count. What changes slowly on the machine hits all of them alike.
 */
public final class Runner {
    private final Bench bench;
    private final int firstRound;
    private final int rounds;
    private final Duration limit;
    private final PrintStream progress;
    private final Map<Scenario, Result> results = new LinkedHashMap<>();
    private int turnsDone;
    private long startedAt;
    private long roundStartedAt;

    /** @param limit how long the rounds may take; one that would probably end later is not begun, except the first */
    public Runner(Bench bench, int rounds, Duration limit) {
        this(bench, 0, rounds, limit);
    }

    private Runner(Bench bench, int firstRound, int rounds, Duration limit) {
        this.bench = bench;
        this.firstRound = firstRound;
        this.rounds = rounds;
        this.limit = limit;
        this.progress = bench.progress();
    }

    /** One counted round and nothing else: to see whether the scenarios work. */
    static Runner once(Bench bench) {
        return new Runner(bench, 1, 1, Duration.ofDays(1));
    }

    /** Runs them all; one that fails is reported as such and does not stop the others. */
    public List<Result> run(List<Scenario> scenarios) {
        startedAt = System.nanoTime();
        try {
            for (Scenario scenario : scenarios) {
                setUp(scenario);
            }
            startedAt = System.nanoTime();
            turnsDone = 0;
            for (int round = firstRound; round <= rounds && fits(round); round++) {
                for (Scenario scenario : inOrderOf(round, scenarios)) {
                    turn(scenario, round);
                }
            }
        } finally {
            scenarios.forEach(this::close);
        }
        return List.copyOf(results.values());
    }

    private boolean fits(int round) {
        long begun = System.nanoTime();
        long last = begun - roundStartedAt;
        roundStartedAt = begun;
        if (round <= 1 || begun - startedAt + last <= limit.toNanos()) {
            return true;
        }
        progress.println("no time for round " + round + ": it would take the run past " + limit.toMinutes() + " min");
        return false;
    }

    /** How many rounds count in all of these results. */
    static int roundsOf(List<Result> results) {
        return results.stream()
                .flatMap(result -> result.metrics().stream()
                        .map(metric -> result.rounds(metric).size()))
                .max(Integer::compare)
                .orElse(0);
    }

    private static List<Scenario> inOrderOf(int round, List<Scenario> scenarios) {
        List<Scenario> order = new ArrayList<>(scenarios);
        if (round % 2 == 0) {
            java.util.Collections.reverse(order);
        }
        return order;
    }

    private void setUp(Scenario scenario) {
        Result result = new Result(scenario.id(), scenario.title());
        results.put(scenario, result);
        progress.println("setting up " + scenario.id() + ": " + scenario.title());
        attempt(scenario, () -> scenario.setUp(bench));
    }

    private void turn(Scenario scenario, int round) {
        turnsDone++;
        Result result = resultOf(scenario);
        if (result.notAvailable() != null) {
            return;
        }
        long start = System.nanoTime();
        attempt(scenario, () -> {
            List<Measurement> found = scenario.round(round == 0 ? bench.scale().warmUp() : bench.scale());
            if (round > 0) {
                result.add(found);
            }
            progress.println(line(scenario, round, found, Duration.ofNanos(System.nanoTime() - start)));
        });
    }

    private Result resultOf(Scenario scenario) {
        Result result = results.get(scenario);
        if (result == null) {
            throw new IllegalStateException(scenario.id() + " was not set up");
        }
        return result;
    }

    private interface Step {
        void run() throws Exception;
    }

    private void attempt(Scenario scenario, Step step) {
        Result result = resultOf(scenario);
        try {
            step.run();
        } catch (NotAvailable e) {
            result.giveUp(String.valueOf(e.getMessage()));
            progress.println("  " + scenario.id() + " is not available: " + e.getMessage());
        } catch (Exception | LinkageError e) {
            result.giveUp("failed: " + e);
            progress.println("  " + scenario.id() + " failed and is left out");
            e.printStackTrace(progress);
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private String line(Scenario scenario, int round, List<Measurement> found, Duration took) {
        StringBuilder line = new StringBuilder(round == 0 ? "warm-up  " : "round " + round + "/" + rounds + "  ");
        line.append(String.format(Locale.ROOT, "%-22s", scenario.id()));
        for (Measurement measurement : found) {
            line.append(String.format(
                    Locale.ROOT,
                    " %s %s %s;",
                    measurement.metric(),
                    Figures.of(measurement.value()),
                    measurement.unit().symbol()));
        }
        long left = (System.nanoTime() - startedAt) / turnsDone * ((long) (rounds + 1) * results.size() - turnsDone);
        return line.append(String.format(
                        Locale.ROOT, " took %.1f s, about %d min left", took.toMillis() / 1e3, Math.round(left / 60e9)))
                .toString();
    }

    private void close(Scenario scenario) {
        try {
            scenario.close();
        } catch (RuntimeException e) {
            progress.println("  " + scenario.id() + " did not close: " + e);
        }
    }
}
