package outbox.doctor;

import org.jspecify.annotations.Nullable;

/**
 * Something that is not as it should be.
 *
 * @param code what kind it is, in words with hyphens; does not change between versions
 * @param seen what was seen, with numbers
 * @param why why it matters
 * @param fix what to do
 * @param sql the fix as SQL, where there is one; to be read before it is run
 */
public record Finding(
        String code,
        Severity severity,
        String seen,
        String why,
        String fix,
        @Nullable String sql) {

    static Finding of(String code, Severity severity, String seen, String why, String fix) {
        return new Finding(code, severity, seen, why, fix, null);
    }

    static Finding of(String code, Severity severity, String seen, String why, String fix, @Nullable String sql) {
        return new Finding(code, severity, seen, why, fix, sql);
    }
}
