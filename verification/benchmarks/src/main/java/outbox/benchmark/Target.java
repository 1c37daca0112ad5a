package outbox.benchmark;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One figure the engine is built for (section 5 of the design): a metric, or its ratio to another one of the same run.
 * Ratios are taken round by round, because neighbours in time share the machine's mood, and their median counts.
 */
public final class Target {
    private static final Set<BenchServer.Kind> ANY = EnumSet.allOf(BenchServer.Kind.class);
    private static final Set<BenchServer.Kind> POSTGRESQL = EnumSet.of(BenchServer.Kind.POSTGRESQL);
    private static final Set<BenchServer.Kind> MYSQL_FAMILY =
            EnumSet.of(BenchServer.Kind.MYSQL, BenchServer.Kind.MARIADB);

    /** In the order of the design. */
    public static final List<Target> ALL = List.of(
            atLeast(0.80, "hot: write + deliver + mark, against raw insert-and-commit", "outbox-hot", "raw-hot")
                    .on(POSTGRESQL),
            atMost(0.05, "hot latency commit → listener, idle, p50", "latency-idle", "p50"),
            atMost(0.5, "hot latency commit → listener, idle, p99", "latency-idle", "p99"),
            atMost(2, "the same with 8 writers at full speed, p50", "latency-loaded", "p50"),
            atMost(20, "the same with 8 writers at full speed, p99", "latency-loaded", "p99"),
            atLeast(0.50, "cold drain against raw bulk insert", "outbox-cold", "raw-bulk")
                    .on(POSTGRESQL),
            atLeast(0.20, "cold drain against raw bulk insert", "outbox-cold", "raw-bulk")
                    .on(MYSQL_FAMILY),
            atLeast(0.85, "writeAll(1000) against raw bulk insert", "outbox-bulk", "raw-bulk"),
            atLeast(0.5, "ordered cold drain, 1000 keys, against unordered", "ordered-cold", "outbox-cold"),
            atLeast(0.5, "ordered hot, 1000 keys, against unordered", "ordered-hot", "outbox-hot"),
            atMost(2, "claim p99 with a million DONE rows, times that of a small table", "claim-done", "p99")
                    .against("claim-small", "p99"),
            atMost(2, "claim p99 with a million pending rows, times that of a small table", "claim-pending", "p99")
                    .against("claim-small", "p99"),
            atLeast(
                    0.75,
                    "business transaction of one insert with one event, against without",
                    "business-event",
                    "business-plain"),
            atMost(2, "idle: queries a second", "idle", "queries"),
            atMost(1, "idle: % of a core", "idle", "cpu"),
            atLeast(0.8, "hot while a foreign transaction stays open, against without", "foreign-hot", "free-hot")
                    .on(POSTGRESQL),
            atLeast(0.8, "cold while a foreign transaction stays open, against without", "foreign-cold", "free-cold")
                    .on(POSTGRESQL),
            atLeast(
                    0.7,
                    "Kafka publisher against the raw producer's acknowledged rate",
                    "publisher-kafka",
                    "raw-kafka"),
            atLeast(0.7, "RabbitMQ publisher against raw confirms", "publisher-rabbitmq", "raw-rabbitmq"),
            ofItsIdeal("publisher-webhook-16"),
            ofItsIdeal("publisher-webhook-64"),
            atLeast(0.95, "hot with every payload encrypted, against without", "encrypted-hot", "outbox-hot"),
            handlers(0.94, "one handler", "handler-hot"),
            handlers(0.95, "one handler", "handler-cold"),
            handlers(0.95, "one handler with the progress table", "trackedhandler-hot"),
            handlers(0.95, "one handler with the progress table", "trackedhandler-cold"),
            handlers(0.90, "two handlers", "twohandlers-hot"),
            handlers(0.80, "two handlers", "twohandlers-cold"),
            handlers(0.70, "two handlers with the Spring Boot starter", "starter-hot"),
            handlers(0.70, "two handlers with the Spring Boot starter", "starter-cold"),
            handlers(0.60, "a transactional handler", "txhandler-hot"),
            handlers(0.30, "a transactional handler", "txhandler-cold"));

    private final String what;
    private final boolean atLeast;
    private final double bound;
    private final String scenario;
    private final String metric;
    private final @Nullable String baseScenario;
    private final @Nullable String baseMetric;
    private final Set<BenchServer.Kind> kinds;

    /** A target and what was found. */
    public record Verdict(String what, String bound, Summary found, boolean isRatio, boolean reached) {}

    private Target(
            String what,
            boolean atLeast,
            double bound,
            String scenario,
            String metric,
            @Nullable String baseScenario,
            @Nullable String baseMetric,
            Set<BenchServer.Kind> kinds) {
        this.what = what;
        this.atLeast = atLeast;
        this.bound = bound;
        this.scenario = scenario;
        this.metric = metric;
        this.baseScenario = baseScenario;
        this.baseMetric = baseMetric;
        this.kinds = kinds;
    }

    private static Target atLeast(double ratio, String what, String scenario, String baseScenario) {
        return new Target(what, true, ratio, scenario, Measurement.RATE, baseScenario, Measurement.RATE, ANY);
    }

    private static Target handlers(double ratio, String what, String scenario) {
        String way = scenario.substring(scenario.indexOf('-') + 1);
        return atLeast(ratio, way + ": " + what + ", against one plain listener", scenario, "outbox-" + way);
    }

    private static Target atMost(double bound, String what, String scenario, String metric) {
        return new Target(what, false, bound, scenario, metric, null, null, ANY);
    }

    private static Target ofItsIdeal(String scenario) {
        return new Target(
                "webhooks against concurrency ÷ latency, " + scenario,
                true,
                0.8,
                scenario,
                Measurement.RATE,
                scenario,
                "concurrency ÷ latency",
                ANY);
    }

    private Target against(String otherScenario, String otherMetric) {
        return new Target(what, atLeast, bound, scenario, metric, otherScenario, otherMetric, kinds);
    }

    private Target on(Set<BenchServer.Kind> databases) {
        return new Target(what, atLeast, bound, scenario, metric, baseScenario, baseMetric, databases);
    }

    boolean appliesTo(BenchServer.Kind kind) {
        return kinds.contains(kind);
    }

    Optional<Verdict> judge(Run run) {
        List<Double> found = rounds(run, scenario, metric);
        if (baseScenario != null && baseMetric != null) {
            found = ratios(found, rounds(run, baseScenario, baseMetric));
        }
        if (found.isEmpty()) {
            return Optional.empty();
        }
        Summary summary = Summary.of(found);
        boolean reached = atLeast ? summary.median() >= bound : summary.median() <= bound;
        return Optional.of(new Verdict(what, (atLeast ? "≥ " : "≤ ") + bound, summary, baseScenario != null, reached));
    }

    private static List<Double> rounds(Run run, String scenario, String metric) {
        return run.result(scenario).map(result -> result.rounds(metric)).orElse(List.of());
    }

    private static List<Double> ratios(List<Double> values, List<Double> bases) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < Math.min(values.size(), bases.size()); i++) {
            ratios.add(values.get(i) / bases.get(i));
        }
        return ratios;
    }
}
