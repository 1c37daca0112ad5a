package outbox.control.live;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.control.source.Application;
import outbox.control.source.AttemptTable;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;

/** Estimates rates from a few hundred of the newest rows, so that the cost does not depend on the load. */
final class RecentRows {
    private static final int SAMPLE = 500;
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final Application application;
    private final Flavor flavor;

    RecentRows(Application application) {
        this.application = application;
        this.flavor = application.flavor();
    }

    record Delivered(String type, Instant createdAt, Instant doneAt) {
        double lagMillis() {
            return Math.max(0, Duration.between(createdAt, doneAt).toNanos() / 1e6);
        }
    }

    double writtenPerMinute(Connection conn, Instant now) throws SQLException {
        List<Instant> created = new Sql(
                        flavor,
                        "SELECT created_at FROM " + application.table() + " ORDER BY event_id DESC LIMIT ?",
                        SAMPLE)
                .query(conn, row -> flavor.time(row, 1));
        return perMinute(created.stream().filter(time -> isRecent(time, now)).toList(), now);
    }

    List<Delivered> delivered(Connection conn, Instant now) throws SQLException {
        return new Sql(
                        flavor,
                        "SELECT event_type, created_at, done_at FROM " + application.table()
                                + " WHERE status = 1 AND done_at > ? ORDER BY done_at DESC LIMIT ?",
                        now.minus(MINUTE),
                        SAMPLE)
                .query(conn, row -> new Delivered(row.getString(1), flavor.time(row, 2), flavor.time(row, 3)));
    }

    @Nullable
    Double failedPerMinute(Connection conn, Instant now) throws SQLException {
        if (!AttemptTable.isWritten(conn, flavor)) {
            return null;
        }
        List<Instant> failed = new Sql(
                        flavor,
                        "SELECT happened_at FROM outbox_attempt WHERE happened_at > ? ORDER BY happened_at DESC LIMIT ?",
                        now.minus(MINUTE),
                        SAMPLE)
                .query(conn, row -> flavor.time(row, 1));
        return perMinute(failed, now);
    }

    /** The number of rows of the last minute; if there are more than the sample size, extrapolated from the sample. */
    static double perMinute(List<Instant> times, Instant now) {
        if (times.size() < SAMPLE) {
            return times.size();
        }
        Instant oldest = times.stream().min(Instant::compareTo).orElse(now);
        double seconds = Math.max(0.001, Duration.between(oldest, now).toNanos() / 1e9);
        return times.size() * 60 / seconds;
    }

    /** The most deliveries first. */
    static List<TypeLag> byType(List<Delivered> delivered) {
        return delivered.stream()
                .collect(Collectors.groupingBy(
                        Delivered::type, Collectors.mapping(Delivered::lagMillis, Collectors.toList())))
                .entrySet()
                .stream()
                .map(entry -> new TypeLag(
                        entry.getKey(),
                        entry.getValue().size(),
                        percentile(entry.getValue(), 0.5),
                        percentile(entry.getValue(), 0.95)))
                .sorted(Comparator.comparingInt(TypeLag::delivered).reversed().thenComparing(TypeLag::type))
                .toList();
    }

    static @Nullable Double percentile(List<Double> values, double fraction) {
        if (values.isEmpty()) {
            return null;
        }
        List<Double> sorted = values.stream().sorted().toList();
        return sorted.get((int) Math.min(sorted.size() - 1, Math.floor(fraction * sorted.size())));
    }

    private static boolean isRecent(Instant time, Instant now) {
        return time.isAfter(now.minus(MINUTE));
    }
}
