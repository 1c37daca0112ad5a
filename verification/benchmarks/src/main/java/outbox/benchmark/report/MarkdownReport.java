package outbox.benchmark.report;

import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import outbox.benchmark.Figures;
import outbox.benchmark.Machine;
import outbox.benchmark.Result;
import outbox.benchmark.Run;
import outbox.benchmark.Summary;
import outbox.benchmark.Target;

/** A run for people: the machine, the targets, every figure, where a peer wins. Stateless. */
public final class MarkdownReport {
    private MarkdownReport() {}

    /**
     * All of it.
     *
     * @param chart the chart's path as seen from the document
     */
    public static String of(Run run, String chart) {
        return summary(run, chart) + rows(run);
    }

    /**
     * What most readers want to know.
     *
     * @param chart the chart's path as seen from the document
     */
    public static String summary(Run run, String chart) {
        StringBuilder page = new StringBuilder();
        machine(page, run);
        targets(page, run);
        page.append("![Throughput of this project, raw JDBC and the peers](")
                .append(chart)
                .append(")\n\n");
        winners(page, run);
        contenders(page, run);
        return page.append('\n').toString();
    }

    /** Every figure, for an appendix. */
    public static String rows(Run run) {
        StringBuilder page = new StringBuilder();
        figures(page, run);
        return page.toString();
    }

    private static void machine(StringBuilder page, Run run) {
        Machine machine = run.machine();
        page.append(String.format(
                Locale.ROOT,
                """
                Measured %s by `%s`: %d rounds after one that does not count, all scenarios in turn.

                | | |
                | --- | --- |
                | machine | %d cores (%s), %,d MB memory, %s; client and server share it |
                | JVM | %s, heap %s |
                | database | %s %s: %s |
                | payload | 200 bytes of JSON |

                """,
                run.startedAt().toString().substring(0, 16).replace('T', ' ') + " UTC",
                run.command(),
                run.rounds(),
                machine.cores(),
                machine.cpu(),
                machine.memoryMegabytes(),
                machine.system(),
                machine.jdk(),
                machine.heap(),
                run.kind().id(),
                run.serverVersion(),
                run.serverSettings().entrySet().stream()
                        .map(setting -> "`" + setting.getKey() + "=" + setting.getValue() + "`")
                        .collect(Collectors.joining(", "))));
    }

    private static void targets(StringBuilder page, Run run) {
        if (run.verdicts().isEmpty()) {
            return;
        }
        page.append("| what | target | median | rounds from – to | |\n| --- | --- | --- | --- | --- |\n");
        for (Target.Verdict verdict : run.verdicts()) {
            Summary found = verdict.found();
            page.append(String.format(
                    "| %s | %s | %s%s | %s – %s | %s |%n",
                    verdict.what(),
                    verdict.bound(),
                    Figures.of(found.median()),
                    verdict.isRatio() ? " ×" : "",
                    Figures.of(found.min()),
                    Figures.of(found.max()),
                    verdict.reached() ? "reached" : "**falls short**"));
        }
        page.append('\n');
    }

    private static void figures(StringBuilder page, Run run) {
        page.append("| scenario | metric | median | from – to | spread |\n| --- | --- | --- | --- | --- |\n");
        for (Result result : run.results()) {
            if (result.notAvailable() != null) {
                page.append(String.format(
                        "| `%s`: %s | not available | | %s | |%n", result.id(), result.title(), result.notAvailable()));
            }
            for (String metric : result.metrics()) {
                Summary summary = result.summary(metric);
                page.append(String.format(
                        Locale.ROOT,
                        "| `%s`: %s | %s | %s %s | %s – %s | %.0f %% |%n",
                        result.id(),
                        result.title(),
                        metric,
                        Figures.of(summary.median()),
                        result.unit(metric).symbol(),
                        Figures.of(summary.min()),
                        Figures.of(summary.max()),
                        summary.spread() * 100));
            }
        }
        page.append('\n');
    }

    /** Says it plainly, whoever wins. */
    private static void winners(StringBuilder page, Run run) {
        if (run.results().stream().noneMatch(result -> isPeer(run, result, "hot") || isPeer(run, result, "cold"))) {
            return;
        }
        for (Map.Entry<String, String> own :
                Map.of("outbox-hot", "hot", "outbox-peercold", "cold").entrySet()) {
            run.result(own.getKey())
                    .filter(result -> result.notAvailable() == null)
                    .ifPresent(ours -> page.append(winner(run, ours, own.getValue())));
        }
    }

    private static String winner(Run run, Result ours, String kind) {
        double own = ours.summary("rate").median();
        String faster = run.results().stream()
                .filter(result ->
                        isPeer(run, result, kind) && result.summary("rate").median() > own)
                .map(result -> "`" + result.id() + "` ("
                        + Figures.of(result.summary("rate").median()) + " events/s)")
                .collect(Collectors.joining(", "));
        return faster.isEmpty()
                ? "In the " + kind + " scenario no peer is faster than this project.\n\n"
                : "In the " + kind + " scenario **a peer wins**: " + faster + " against " + Figures.of(own)
                        + " events/s of this project.\n\n";
    }

    private static boolean isPeer(Run run, Result result, String kind) {
        return result.notAvailable() == null
                && run.peers().containsKey(result.id().split("-", 2)[0])
                && !result.id().startsWith("outbox")
                && result.id().endsWith("-" + kind);
    }

    private static void contenders(StringBuilder page, Run run) {
        for (Map.Entry<String, String> contender : run.peers().entrySet()) {
            page.append("- `")
                    .append(contender.getKey())
                    .append("`: ")
                    .append(Objects.requireNonNull(contender.getValue()))
                    .append('\n');
        }
    }
}
