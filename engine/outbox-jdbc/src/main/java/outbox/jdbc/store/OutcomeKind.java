package outbox.jdbc.store;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.SqlDialect;
import outbox.spi.Settlement;
import outbox.util.StoredError;

/** Outcomes of a leased row, with the columns that change. */
enum OutcomeKind {
    DONE("UPDATE {table by key} SET status = {done}, done_at = {now}, locked_by = NULL, locked_at = NULL"),
    DELETE("{delete by key}"),
    RETRY("""
            UPDATE {table by key} SET status = {retry}, attempts = {attempts}, available_at = {due}, last_error = {error},
              locked_by = NULL, locked_at = NULL"""),
    DEAD("""
            UPDATE {table by key} SET status = {dead}, attempts = {attempts}, done_at = {now}, last_error = {error},
              locked_by = NULL, locked_at = NULL"""),
    RELEASE("UPDATE {table by key} SET attempts = {attempts}, locked_by = NULL, locked_at = NULL"),
    RELEASE_UNTIL("""
            UPDATE {table by key} SET attempts = {attempts}, available_at = {due}, locked_by = NULL, locked_at = {now}"""),
    RENEW("UPDATE {table by key} SET locked_at = {now}");

    private final String sql;
    private final boolean hasAttempts;
    private final boolean hasDue;
    private final boolean hasError;

    OutcomeKind(String sql) {
        this.sql = sql;
        this.hasAttempts = sql.contains("{attempts}");
        this.hasDue = sql.contains("{due}");
        this.hasError = sql.contains("{error}");
    }

    /**
     * The statement up to its WHERE; {@code {attempts}}, {@code {due}} and {@code {error}}, in this order, are values
     * that differ per row.
     */
    String sql() {
        return sql;
    }

    boolean hasAttempts() {
        return hasAttempts;
    }

    boolean hasDue() {
        return hasDue;
    }

    boolean hasError() {
        return hasError;
    }

    boolean hasValues() {
        return hasAttempts || hasDue || hasError;
    }

    private static OutcomeKind of(Settlement settlement) {
        return settlement.match(
                done -> DONE,
                delete -> DELETE,
                retry -> RETRY,
                dead -> DEAD,
                release -> release.delay().isZero() ? RELEASE : RELEASE_UNTIL);
    }

    /** The values of one row for the statement of an outcome. */
    record Values(int attempts, long delayMicros, @Nullable String error) {
        private static final Values NONE = new Values(0, 0, null);

        static Values of(Settlement settlement) {
            return settlement.match(
                    done -> NONE,
                    delete -> NONE,
                    retry -> new Values(
                            retry.attempts(), SqlDialect.micros(retry.delay()), StoredError.clean(retry.error())),
                    dead -> new Values(dead.attempts(), 0, StoredError.clean(dead.error())),
                    release -> new Values(release.attempts(), SqlDialect.micros(release.delay()), null));
        }
    }

    /** Each kind of outcome once, with the values of its rows by event id in their order. */
    static Map<OutcomeKind, Map<String, Values>> group(List<Settlement> settlements) {
        Map<OutcomeKind, Map<String, Values>> byOutcome = new EnumMap<>(OutcomeKind.class);
        for (Settlement settlement : settlements) {
            byOutcome
                    .computeIfAbsent(of(settlement), outcome -> new LinkedHashMap<>())
                    .put(settlement.eventId(), Values.of(settlement));
        }
        return byOutcome;
    }
}
