package outbox.jdbc.store;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Remembers where in the index of pending rows a claim may start. Thread-safe.
 *
 * <p>Pending rows are read from the old end of their index, and that is where the entries of delivered ones are left
 * behind. The database removes them, but not as long as any transaction is old enough to see those rows, and on InnoDB
 * later than a busy claim would like: while somebody's report runs for an hour, every claim would wade through all that
 * was delivered meanwhile. So a claim that was filled up, which means that more is waiting, lets the next ones start
 * where it found its first row.
 *
 * <p>Rows before that place exist: released ones, expired leases, inserts that were committed late. They are found by
 * reading from the start, which happens again as soon as a claim is not filled up, and otherwise after {@value #PATIENCE}
 * times as long as it took the last time: reading from the start takes at most a fifth of the time, however slow it is.
 */
final class ClaimStart {
    private static final int PATIENCE = 4;

    private final LongSupplier nanos;
    private volatile @Nullable Place place;

    /** Where a claim may start, and until when. */
    private record Place(Instant from, long untilNanos) {}

    ClaimStart() {
        this(System::nanoTime);
    }

    ClaimStart(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Claims the rows that are due first. */
    interface Reader {
        /**
         * @param from the due time to start from, or {@code null} for the start
         * @return at most {@code limit} rows, which a second call does not find again
         */
        List<EventRows.Due> claim(@Nullable Instant from, int limit) throws SQLException;
    }

    /** @param bytes a claim that has spent them is filled up too */
    List<EventRows.Due> claim(int limit, ClaimBytes bytes, Reader reader) throws SQLException {
        if (limit == 0) {
            return List.of();
        }
        Place known = place;
        long start = nanos.getAsLong();
        if (known == null || start - known.untilNanos() >= 0) {
            List<EventRows.Due> claimed = reader.claim(null, limit);
            long end = nanos.getAsLong();
            place = claimed.size() == limit || bytes.isSpent()
                    ? new Place(first(claimed), end + PATIENCE * (end - start))
                    : null;
            return claimed;
        }
        List<EventRows.Due> claimed = new ArrayList<>(reader.claim(known.from(), limit));
        if (claimed.size() == limit || bytes.isSpent()) {
            place = new Place(first(claimed), known.untilNanos());
        } else {
            place = null;
            claimed.addAll(reader.claim(null, limit - claimed.size()));
        }
        return claimed;
    }

    private static Instant first(List<EventRows.Due> claimed) {
        return Collections.min(claimed, Comparator.comparing(EventRows.Due::availableAt))
                .availableAt();
    }
}
