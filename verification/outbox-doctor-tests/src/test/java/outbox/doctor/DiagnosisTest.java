package outbox.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class DiagnosisTest {
    private final Diagnosis diagnosis = new Diagnosis(
            Instant.parse("2026-11-16T08:00:00Z"),
            "h2",
            "2.5",
            "outbox_event",
            List.of(Answer.no(Question.AUDIT, "no table \"outbox_attempt\"")),
            List.of(Finding.of(
                    FindingCode.BACKLOG_OLD, Severity.WARNING, "seen \u0001\n", "why", "fix", "SELECT 1;\nSELECT 2;")),
            List.of(new Unseen("dead tuples", "permission denied")));

    @Test
    void theExitCodeGoesByTheSeverityAskedFor() {
        assertThat(diagnosis.exitCode(Severity.INFO)).isEqualTo(1);
        assertThat(diagnosis.exitCode(Severity.WARNING)).isEqualTo(1);
        assertThat(diagnosis.exitCode(Severity.CRITICAL)).isZero();
        assertThat(Severity.parse("Warning")).isEqualTo(Severity.WARNING);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Severity.parse("fatal"))
                .withMessage("the severity must be info, warning or critical, not 'fatal'");
    }

    @Test
    void jsonIsEscaped() {
        assertThat(diagnosis.toJson()).isEqualTo("""
                {
                  "examinedAt": "2026-11-16T08:00:00Z",
                  "database": "h2",
                  "version": "2.5",
                  "table": "outbox_event",
                  "healthy": false,
                  "answers": [
                    {
                      "question": "AUDIT",
                      "text": "Are failed sends recorded?",
                      "verdict": "NO",
                      "evidence": "no table \\"outbox_attempt\\""
                    }
                  ],
                  "findings": [
                    {
                      "code": "backlog-old",
                      "severity": "warning",
                      "seen": "seen \\u0001\\n",
                      "why": "why",
                      "fix": "fix",
                      "sql": "SELECT 1;\\nSELECT 2;",
                      "runbook": "docs/runbooks/backlog-old.md"
                    }
                  ],
                  "unseen": [
                    {
                      "what": "dead tuples",
                      "why": "permission denied"
                    }
                  ]
                }
                """);
    }

    @Test
    void textIsForPeople() {
        assertThat(diagnosis.toText()).isEqualTo("""
                Table outbox_event on h2 2.5, 2026-11-16T08:00:00Z

                no       Are failed sends recorded?
                         no table "outbox_attempt"

                WARNING  backlog-old
                  seen  seen \u0001
                  why   why
                  fix   fix
                        SELECT 1;
                        SELECT 2;
                  more  docs/runbooks/backlog-old.md

                Not checked:
                  dead tuples: permission denied
                """);
    }
}
