package outbox.benchmark;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import outbox.benchmark.report.DocsPage;
import outbox.benchmark.report.JsonReport;
import outbox.benchmark.report.MarkdownReport;
import outbox.benchmark.report.SvgChart;

/** Runs the benchmark; see {@link Options#USAGE}. */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws Exception {
        Options options;
        try {
            if (List.of(args).contains("--help")) {
                System.out.println(Options.USAGE);
                return;
            }
            options = Options.parse(List.of(args));
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(2);
            return;
        }
        List<Scenario> scenarios = options.group().scenarios().stream()
                .filter(scenario -> options.wants(scenario.id()))
                .filter(scenario -> !options.own() || !Catalog.isPeer(scenario))
                .toList();
        if (options.list()) {
            scenarios.forEach(scenario -> System.out.printf("%-20s %s%n", scenario.id(), scenario.title()));
            return;
        }
        Files.createDirectories(options.out());
        LogFile.open(options.out().resolve("outbox.log"));
        Run run = run(options, scenarios, String.join(" ", args), System.out);
        write(options, run);
        System.exit(0); // a peer may leave a thread behind
    }

    private static Run run(Options options, List<Scenario> scenarios, String arguments, PrintStream progress)
            throws Exception {
        Instant startedAt = Instant.now();
        progress.println("starting " + options.kind().id());
        try (BenchServer server = BenchServer.start(options.kind())) {
            progress.println(options.kind().id() + " " + server.version() + " " + server.settings());
            Map<String, String> contenders = new LinkedHashMap<>();
            Catalog.contenders().stream()
                    .filter(contender -> scenarios.stream()
                            .anyMatch(scenario -> scenario.id().startsWith(contender.id() + "-")))
                    .forEach(contender ->
                            contenders.put(contender.id(), contender.title() + ". " + contender.remarks()));
            contenders.forEach((id, title) -> progress.println(id + ": " + title));
            Bench bench = new Bench(server, options.scale(), progress);
            List<Result> results = new Runner(bench, options.rounds(), options.limit()).run(scenarios);
            return new Run(
                    startedAt,
                    ("./benchmark " + arguments).strip(),
                    Machine.here(),
                    options.kind(),
                    server.version(),
                    server.settings(),
                    Runner.roundsOf(results),
                    results,
                    contenders);
        }
    }

    private static void write(Options options, Run run) throws IOException {
        String name = "benchmark-" + options.name();
        Path out = options.out();
        Files.writeString(out.resolve(name + ".json"), JsonReport.of(run));
        Files.writeString(out.resolve(name + ".svg"), SvgChart.of(run));
        String page = MarkdownReport.of(run, name + ".svg");
        Files.writeString(out.resolve(name + ".md"), page);
        System.out.println();
        System.out.println(page);
        System.out.println("written to " + out.resolve(name + ".{json,md,svg}"));
        Path docs = options.docs();
        if (docs != null) {
            Files.writeString(docs.resolveSibling(name + ".svg"), SvgChart.of(run));
            DocsPage.update(docs, options.name(), MarkdownReport.summary(run, name + ".svg"));
            DocsPage.update(docs, options.name() + " rows", MarkdownReport.rows(run));
            System.out.println("and to " + docs);
        }
    }
}
