package outbox.doctor;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@link Doctor#examine()}. Immutable and thread-safe.
 *
 * @param database the name of the store, such as {@code postgresql}
 * @param version as reported by the server
 * @param answers one for each {@link Question}, in order; none if only the schema was checked
 * @param findings the most severe first; none on a healthy system
 * @param unseen checks that could not run
 */
public record Diagnosis(
        Instant examinedAt,
        String database,
        String version,
        String table,
        List<Answer> answers,
        List<Finding> findings,
        List<Unseen> unseen) {
    public Diagnosis {
        answers = List.copyOf(answers);
        findings = List.copyOf(findings);
        unseen = List.copyOf(unseen);
    }

    /** Whether there are no findings. */
    public boolean isHealthy() {
        return findings.isEmpty();
    }

    /** The answer to a question, if it was asked. */
    public @Nullable Answer answer(Question question) {
        return answers.stream()
                .filter(answer -> answer.question() == question)
                .findFirst()
                .orElse(null);
    }

    /** For pipelines: 1 if there is a finding of this or a higher severity, otherwise 0. */
    public int exitCode(Severity level) {
        return findings.stream().anyMatch(finding -> finding.severity().compareTo(level) >= 0) ? 1 : 0;
    }

    /** Human-readable text, in lines of at most 100 characters. */
    public String toText() {
        return DiagnosisText.of(this);
    }

    /** {@link #toMap()} as JSON. */
    public String toJson() {
        return JsonText.of(toMap());
    }

    /** In plain maps, lists, strings and booleans. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("examinedAt", examinedAt.toString());
        map.put("database", database);
        map.put("version", version);
        map.put("table", table);
        map.put("healthy", isHealthy());
        map.put("answers", answers.stream().map(Diagnosis::map).toList());
        map.put("findings", findings.stream().map(Diagnosis::map).toList());
        map.put("unseen", unseen.stream().map(Diagnosis::map).toList());
        return map;
    }

    private static Map<String, Object> map(Unseen unseen) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("what", unseen.what());
        map.put("why", unseen.why());
        return map;
    }

    private static Map<String, Object> map(Answer answer) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("question", answer.question().name());
        map.put("text", answer.question().text());
        map.put("verdict", answer.verdict().name());
        map.put("evidence", answer.evidence());
        return map;
    }

    private static Map<String, Object> map(Finding finding) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("code", finding.code());
        map.put("severity", finding.severity().word());
        map.put("seen", finding.seen());
        map.put("why", finding.why());
        map.put("fix", finding.fix());
        if (finding.sql() != null) {
            map.put("sql", finding.sql());
        }
        map.put("runbook", finding.runbook());
        return map;
    }
}
