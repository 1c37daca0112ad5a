package outbox.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import outbox.benchmark.report.JsonReport;
import outbox.benchmark.report.MarkdownReport;
import outbox.benchmark.report.SvgChart;

class TargetTest {

    private static Result rates(String id, double... rounds) {
        Result result = new Result(id, "title of " + id);
        for (double rate : rounds) {
            result.add(List.of(new Measurement(Measurement.RATE, Unit.EVENTS_PER_SECOND, rate)));
        }
        return result;
    }

    private static Run run(Result... results) {
        return new Run(
                Instant.EPOCH,
                "./benchmark",
                Machine.here(),
                BenchServer.Kind.POSTGRESQL,
                "18",
                Map.of("fsync", "on"),
                3,
                List.of(results),
                Map.of("outbox", "this", "peer", "that"));
    }

    @Test
    void ratiosAreTakenRoundByRoundAndTheirMedianCounts() {
        Run run = run(rates("raw-hot", 1000, 4000, 2000), rates("outbox-hot", 900, 2000, 1800));

        Target.Verdict verdict = run.verdicts().get(0);

        assertThat(verdict.found().median()).isCloseTo(0.9, within(1e-9));
        assertThat(verdict.found().min()).isCloseTo(0.5, within(1e-9));
        assertThat(verdict.reached()).isTrue();
    }

    @Test
    void whatFallsShortIsSaidSo() {
        Run run = run(rates("raw-hot", 1000), rates("outbox-hot", 500));

        assertThat(run.verdicts().get(0).reached()).isFalse();
        assertThat(MarkdownReport.of(run, "chart.svg")).contains("**falls short**");
    }

    @Test
    void targetsThatWereNotMeasuredAreLeftOut() {
        assertThat(run(rates("raw-hot", 1000)).verdicts()).isEmpty();
    }

    @Test
    void aPeerThatWinsIsNamed() {
        Run run = run(rates("outbox-hot", 500), rates("peer-hot", 900));

        assertThat(MarkdownReport.of(run, "chart.svg")).contains("**a peer wins**: `peer-hot` (900 events/s)");
    }

    @Test
    void chartAndJsonHoldEveryRate() {
        Run run = run(rates("raw-hot", 1000), rates("outbox-hot", 500));

        assertThat(SvgChart.of(run)).contains("raw-hot", "outbox-hot", "1 000").startsWith("<svg");
        assertThat(JsonReport.of(run)).contains("\"outbox-hot\"", "\"rounds\": [500.000]");
    }
}
