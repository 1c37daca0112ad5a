package outbox.jdbc.store;

import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.spi.Settlement;
import outbox.util.StoredError;

/** What becomes of a leased row, with the columns that change. */
enum Outcome {
    DONE("UPDATE {table by key} SET status = 1, done_at = {now}, locked_by = NULL, locked_at = NULL"),
    DELETE("{delete by key}"),
    RETRY("""
            UPDATE {table by key} SET status = 2, attempts = attempts + 1, available_at = {due}, last_error = {error},
              locked_by = NULL, locked_at = NULL"""),
    DEAD("UPDATE {table by key} SET status = 3, last_error = {error}, locked_by = NULL, locked_at = NULL"),
    RELEASE("UPDATE {table by key} SET locked_by = NULL, locked_at = NULL"),
    RELEASE_UNTIL("UPDATE {table by key} SET available_at = {due}, locked_by = NULL, locked_at = NULL"),
    RENEW("UPDATE {table by key} SET locked_at = {now}");

    private final String sql;

    Outcome(String sql) {
        this.sql = sql;
    }

    /** The statement up to its WHERE; {@code {due}} and {@code {error}} stand for values that each row has its own of. */
    String sql() {
        return sql;
    }

    boolean hasDue() {
        return sql.contains("{due}");
    }

    boolean hasError() {
        return sql.contains("{error}");
    }

    static Outcome of(Settlement settlement) {
        if (settlement instanceof Settlement.Done) {
            return DONE;
        } else if (settlement instanceof Settlement.Delete) {
            return DELETE;
        } else if (settlement instanceof Settlement.Retry) {
            return RETRY;
        } else if (settlement instanceof Settlement.Dead) {
            return DEAD;
        } else if (settlement instanceof Settlement.Release release) {
            return release.delay().isZero() ? RELEASE : RELEASE_UNTIL;
        }
        throw new IllegalArgumentException("unknown kind of settlement: " + settlement);
    }

    /** Each kind of outcome once, with the settlements by event id in their order. */
    static Map<Outcome, Map<String, Settlement>> group(List<Settlement> settlements) {
        Map<Outcome, Map<String, Settlement>> byOutcome = new EnumMap<>(Outcome.class);
        for (Settlement settlement : settlements) {
            byOutcome
                    .computeIfAbsent(of(settlement), outcome -> new LinkedHashMap<>())
                    .put(settlement.eventId(), settlement);
        }
        return byOutcome;
    }

    static long delayMicros(Settlement settlement) {
        Duration delay = Duration.ZERO;
        if (settlement instanceof Settlement.Retry retry) {
            delay = retry.delay();
        } else if (settlement instanceof Settlement.Release release) {
            delay = release.delay();
        }
        return Micros.of(delay);
    }

    static @Nullable String error(Settlement settlement) {
        if (settlement instanceof Settlement.Retry retry) {
            return StoredError.clean(retry.error());
        }
        return settlement instanceof Settlement.Dead dead ? StoredError.clean(dead.error()) : null;
    }
}
