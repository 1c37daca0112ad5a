package outbox.doctor;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A problem found by the doctor.
 *
 * @param code stable identifier, in words with hyphens; one of {@link #codes()}
 * @param seen what was observed, with numbers
 * @param why why it matters
 * @param fix what to do
 * @param sql the fix as SQL, if there is one; review it before running it
 */
public record Finding(
        String code,
        Severity severity,
        String seen,
        String why,
        String fix,
        @Nullable String sql) {

    static Finding of(FindingCode code, Severity severity, String seen, String why, String fix) {
        return of(code, severity, seen, why, fix, null);
    }

    static Finding of(FindingCode code, Severity severity, String seen, String why, String fix, @Nullable String sql) {
        return new Finding(code.text(), severity, seen, why, fix, sql);
    }

    /** The codes of all findings the doctor can have, in alphabetical order. */
    public static List<String> codes() {
        return Arrays.stream(FindingCode.values())
                .map(FindingCode::text)
                .sorted()
                .toList();
    }

    /**
     * The page that says how to look further, what to do, and how to know that it is over: a path in the repository.
     * The control center serves the same page under {@code runbooks/}.
     */
    public String runbook() {
        return "docs/runbooks/" + code + ".md";
    }
}
