package outbox.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import outbox.torture.CaseResult.Unreplicated;

class ReportTest {
    @Test
    void withoutAFailoverTheTableDoesNotMentionReplication() {
        assertThat(Report.table(List.of(result("healthy", Unreplicated.NO_FAILOVER))))
                .doesNotContain("replicated")
                .contains("| healthy |", " 0.2 s |", "| ok      |");
    }

    @Test
    void whatAFailoverHasLostIsAColumn() {
        String table = Report.table(List.of(
                result("frozen", Unreplicated.NO_FAILOVER),
                result("sync", new Unreplicated(0, 0)),
                result("async", new Unreplicated(12, 7))));
        assertThat(table.lines().toList())
                .satisfiesExactly(
                        head -> assertThat(head).contains("not replicated"),
                        rule -> assertThat(rule).startsWith("| ---"),
                        frozen -> assertThat(frozen).contains(" – |"),
                        sync -> assertThat(sync).contains(" 0 |"),
                        async -> assertThat(async).contains("| 12, 7 of them delivered |"));
    }

    private static CaseResult result(String what, Unreplicated unreplicated) {
        return new CaseResult(what, what, 1, 1, 0, 0, 0, 0, -1, 200, 1000, unreplicated, Map.of(), 3, List.of());
    }
}
