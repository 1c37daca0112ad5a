package outbox.jdbc.store;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Remembers where in the index of pending rows a claim can start. Thread-safe.
 *
 * <p>Pending rows are read from the oldest entry of their index, where dead entries of delivered rows accumulate. The
 * database cannot remove them while an old transaction can still see those rows: during a report of one hour, every
 * claim would scan everything delivered meanwhile. So after a claim that was full, which means that there are more
 * rows, or when reading from the start takes long, the next claims start from a place before which everything was taken.
 *
 * <p>There can be rows before that place: released ones, expired leases, inserts that committed late. While reading
 * from the start is quick, it is done as soon as a claim is not full. While it is slow, what is before the place is read
 * backwards in slices of a few milliseconds, which take at most a fifth of the time: however many dead entries there
 * are, a claim waits only for one slice.
 *
 * <p>A position in the index is a number: microseconds of the due time, or the value of {@code seq}.
 */
final class ClaimStart {
    /**
     * Reading from the start is slow if it takes this much longer than a claim that reads nothing, several times in a
     * row: once may be the machine.
     */
    static final Duration SLOW = Duration.ofSeconds(1);

    static final int SLOW_IN_A_ROW = 3;
    /** A slice is to take about this much longer than a claim that reads nothing. */
    private static final long SLICE_NANOS = Duration.ofMillis(5).toNanos();

    private static final int PATIENCE = 4;

    /**
     * Distances in an index.
     *
     * @param overlap rows that appear this much before the last ones are found without looking back
     * @param slice the first slice
     * @param furthest what is further back than this is one slice
     */
    private record Scale(long overlap, long slice, long furthest) {
        static final Scale MICROS = new Scale(5_000_000, 10_000_000, 86_400_000_000L);
        static final Scale SEQ = new Scale(2_000, 5_000, 50_000_000);

        long narrowestSlice() {
            return slice / 64;
        }
    }

    private final Scale scale;
    private final LongSupplier nanos;
    private final AtomicInteger slowReads = new AtomicInteger();
    private volatile @Nullable Place place;

    /**
     * Where a claim can start.
     *
     * @param slow whether reading from the start is slow
     * @param lookBackAt when to look at what is before it again
     * @param back how far that look has come
     */
    private record Place(long from, boolean slow, long lookBackAt, Slices back) {
        Place movedTo(long later) {
            return later > from ? new Place(later, slow, lookBackAt, back) : this;
        }
    }

    /**
     * A look back in slices.
     *
     * @param before the end of the next one; {@code null} if it is the place itself
     * @param tookNanos the slices so far
     */
    private record Slices(@Nullable Long before, long width, long tookNanos) {
        Slices afterOne(long nextBefore, long readingNanos, Scale scale) {
            long next = readingNanos > SLICE_NANOS ? width / 2 : readingNanos < SLICE_NANOS / 4 ? width * 4 : width;
            return new Slices(nextBefore, Math.max(scale.narrowestSlice(), next), tookNanos + readingNanos);
        }
    }

    private ClaimStart(Scale scale, LongSupplier nanos) {
        this.scale = scale;
        this.nanos = nanos;
    }

    /** In an index of due times. */
    static ClaimStart byDueTime() {
        return byDueTime(System::nanoTime);
    }

    static ClaimStart byDueTime(LongSupplier nanos) {
        return new ClaimStart(Scale.MICROS, nanos);
    }

    /** In an index of {@code seq}. */
    static ClaimStart bySeq() {
        return new ClaimStart(Scale.SEQ, System::nanoTime);
    }

    /** Takes the first rows of a range. */
    interface Reader<R> {
        /**
         * @param from the first position; {@code null} for the start
         * @param before the end of the range; {@code null} for the end of the index
         * @return at most {@code limit} rows; a second call does not return them again
         */
        List<R> claim(@Nullable Long from, @Nullable Long before, int limit) throws SQLException;

        long position(R row);

        /** The position of a row that is written now; {@code null} if that is not known. */
        @Nullable
        Long now() throws SQLException;
    }

    /** @param bytes a claim that reached them counts as full too */
    <R> List<R> claim(int limit, ClaimBytes bytes, Reader<R> reader) throws SQLException {
        if (limit == 0) {
            return List.of();
        }
        Place known = place;
        boolean lookBack = known != null && nanos.getAsLong() - known.lookBackAt() >= 0;
        if (known == null || (lookBack && !known.slow())) {
            return claimFromStart(limit, bytes, reader);
        }
        List<R> claimed = new ArrayList<>();
        if (lookBack) {
            known = lookBack(known, claimed, limit, bytes, reader);
        }
        if (known != null && !isFull(claimed, limit, bytes)) {
            long start = nanos.getAsLong();
            List<R> found = reader.claim(known.from(), null, limit - claimed.size());
            long took = nanos.getAsLong() - start;
            claimed.addAll(found);
            if (isFull(claimed, limit, bytes)) {
                known = known.movedTo(first(found, reader));
            } else if (known.slow()) {
                known = known.movedTo(taken(found, reader, took));
            } else {
                known = null;
            }
        }
        place = known;
        if (known == null && !isFull(claimed, limit, bytes)) {
            claimed.addAll(claimFromStart(limit - claimed.size(), bytes, reader));
        }
        return claimed;
    }

    private static boolean isFull(List<?> claimed, int limit, ClaimBytes bytes) {
        return claimed.size() >= limit || bytes.isSpent();
    }

    private <R> List<R> claimFromStart(int limit, ClaimBytes bytes, Reader<R> reader) throws SQLException {
        long start = nanos.getAsLong();
        List<R> claimed = reader.claim(null, null, limit);
        long took = nanos.getAsLong() - start;
        boolean slow = isSlow(took, reader);
        boolean full = isFull(claimed, limit, bytes);
        long from = full ? first(claimed, reader) : slow ? taken(claimed, reader, took) : Long.MIN_VALUE;
        place = from == Long.MIN_VALUE
                ? null
                : new Place(from, slow, nanos.getAsLong() + PATIENCE * took, firstSlice());
        return claimed;
    }

    private boolean isSlow(long tookNanos, Reader<?> reader) throws SQLException {
        if (tookNanos < SLOW.toNanos() || tookNanos - 4 * ping(reader) < SLOW.toNanos()) {
            slowReads.set(0);
            return false;
        }
        return slowReads.incrementAndGet() >= SLOW_IN_A_ROW;
    }

    /** How long a claim takes that reads nothing: on this network, this machine and with this many partitions, now. */
    private long ping(Reader<?> reader) throws SQLException {
        long start = nanos.getAsLong();
        reader.claim(0L, 0L, 1);
        return nanos.getAsLong() - start;
    }

    private Slices firstSlice() {
        return new Slices(null, scale.slice(), 0);
    }

    /** Everything before this was taken by a claim that was not full; the least number if that is not known. */
    private <R> long taken(List<R> claimed, Reader<R> reader, long tookNanos) throws SQLException {
        long last = Long.MIN_VALUE;
        for (R row : claimed) {
            last = Math.max(last, reader.position(row) - scale.overlap());
        }
        Long now = tookNanos >= SLOW.toNanos() ? reader.now() : null;
        return now == null ? last : Math.max(last, now - tookNanos / 1_000 - scale.overlap());
    }

    private static <R> long first(List<R> claimed, Reader<R> reader) {
        return claimed.stream().mapToLong(reader::position).min().orElse(Long.MIN_VALUE);
    }

    /** @return where to go on; {@code null} from the start, because that is quick again */
    private <R> @Nullable Place lookBack(Place known, List<R> claimed, int limit, ClaimBytes bytes, Reader<R> reader)
            throws SQLException {
        Slices back = known.back();
        long begun = nanos.getAsLong();
        long ping = ping(reader);
        long reading = 0;
        while (reading < SLICE_NANOS && !isFull(claimed, limit, bytes)) {
            long before = back.before() == null ? known.from() : back.before();
            Long from = known.from() - before > scale.furthest() ? null : before - back.width();
            long start = nanos.getAsLong();
            claimed.addAll(reader.claim(from, before, limit - claimed.size()));
            long took = Math.max(0, nanos.getAsLong() - start - ping);
            reading += took;
            if (isFull(claimed, limit, bytes)) {
                break; // there may be more in this slice
            }
            if (from == null) {
                if (back.tookNanos() + took < SLOW.toNanos()) {
                    slowReads.set(0);
                    return null;
                }
                back = firstSlice();
                break;
            }
            back = back.afterOne(from, took, scale);
        }
        long end = nanos.getAsLong();
        return new Place(known.from(), true, end + PATIENCE * (end - begun), back);
    }
}
