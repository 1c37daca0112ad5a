package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.EventTable;
import outbox.spi.ClaimRequest;

/** The index of due times, as one claim reads it. */
record DueReader(EventTable table, Connection conn, ClaimRequest request, Claim claim)
        implements ClaimStart.Reader<EventRows.Due> {
    private static final Instant EARLIEST = Instant.parse("1970-01-02T00:00:00Z"); // valid in all databases and zones

    /** Claims the first rows of a range. */
    interface Claim {
        List<EventRows.Due> of(DueRange range, int limit) throws SQLException;
    }

    @Override
    public List<EventRows.Due> claim(@Nullable Long from, @Nullable Long before, int limit) throws SQLException {
        return claim.of(new DueRange(request.skipRecent(), instant(from), instant(before)), limit);
    }

    @Override
    public long position(EventRows.Due row) {
        return micros(row.availableAt());
    }

    @Override
    public Long now() throws SQLException {
        return micros(table.dialect().readClock(conn));
    }

    /** Rows of an earlier time, such as {@code -infinity}, are found by claims from the start. */
    private static long micros(Instant time) {
        Instant valid = time.isBefore(EARLIEST) ? EARLIEST : time;
        return valid.getEpochSecond() * 1_000_000 + valid.getNano() / 1_000;
    }

    private static @Nullable Instant instant(@Nullable Long micros) {
        return micros == null ? null : Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}
