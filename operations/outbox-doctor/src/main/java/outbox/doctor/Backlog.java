package outbox.doctor;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.spi.LeasingOutboxStore;

/** Undelivered events: dead letters, expired leases and a growing backlog. */
final class Backlog {
    static final Check DEAD_LETTERS = new Check("dead letters", Backlog::deadLetters);
    static final Check EXPIRED_LEASES = new Check("expired leases", Backlog::expiredLeases);
    static final Check GROWTH = new Check("backlog", Backlog::growth);

    private static final int COUNT_TO = 10_000;
    private static final int[] UNDELIVERED = {0, 2};
    /** After a lease has expired, the next poll claims the row; this is time for many polls. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Due rows without a valid lease. */
    private static final String WAITING =
            "FROM {table} WHERE status = ? AND available_at <= ? AND (locked_by IS NULL OR locked_at < ?)";

    private static final String COUNT_DUE = "SELECT COUNT(*) FROM (SELECT 1 " + WAITING + " LIMIT ?) counted";
    private static final String OLDEST_DUE = "SELECT available_at " + WAITING + " ORDER BY available_at LIMIT 1";
    private static final String EXPIRED = """
            SELECT COUNT(*), MIN(locked_by), MAX(locked_by) FROM (
              SELECT locked_by, locked_at FROM {table} WHERE status = ? AND available_at <= ?
              ORDER BY available_at LIMIT ?) head
            WHERE locked_by IS NOT NULL AND locked_at < ?
            """;
    private static final String DEAD_TYPES = """
            SELECT event_type, COUNT(*) FROM (
              SELECT event_type FROM {table} WHERE status = {dead} AND (locked_by IS NULL OR locked_by <> ?) LIMIT ?) dead
            GROUP BY event_type ORDER BY COUNT(*) DESC, event_type
            """;

    private Backlog() {}

    private static List<Finding> deadLetters(Examination examination) throws SQLException {
        record Type(String name, long count) {}
        List<Type> types = examination
                .ask()
                .list(
                        DEAD_TYPES,
                        row -> new Type(row.getString(1), row.getLong(2)),
                        LeasingOutboxStore.PARKED, // already handled by an operator
                        COUNT_TO);
        long count = types.stream().mapToLong(Type::count).sum();
        if (count == 0) {
            return List.of();
        }
        String most = types.stream()
                .limit(3)
                .map(type -> type.name() + " " + type.count())
                .collect(Collectors.joining(", "));
        return List.of(Finding.of(
                FindingCode.DEAD_LETTERS,
                Severity.WARNING,
                (count == 1 ? "1 event is" : Examination.capped(count, COUNT_TO) + " events are") + " DEAD: " + most,
                "their attempts are used up, or no listener is registered for them; no operator has handled them yet,"
                        + " and the purge will delete them",
                "check last_error, fix the cause, then replay or delete them: docs/dead-letters.md"));
    }

    private static List<Finding> expiredLeases(Examination examination) throws SQLException {
        record Expired(
                long count,
                @Nullable String first,
                @Nullable String last) {}
        Duration over = examination.leaseTime().plus(PATIENCE);
        long count = 0;
        String owner = null;
        for (int status : UNDELIVERED) {
            Expired expired = examination
                    .ask()
                    .list(
                            EXPIRED,
                            row -> new Expired(row.getLong(1), row.getString(2), row.getString(3)),
                            status,
                            examination.now(),
                            COUNT_TO,
                            examination.now().minus(over))
                    .get(0);
            count += expired.count();
            owner = owner == null ? expired.first() : owner;
        }
        if (count == 0) {
            return List.of();
        }
        return List.of(Finding.of(
                FindingCode.LEASES_EXPIRED,
                Severity.CRITICAL,
                Examination.capped(count, COUNT_TO) + " due events have been leased for more than "
                        + Examination.text(over) + " without a renewal, for instance to " + owner + "; the lease is "
                        + Examination.text(examination.leaseTime()) + " " + examination.leaseOrigin(),
                "their node is gone, and no other node claims them: the table is not being polled",
                "start a delivering node, or find out why the running ones do not poll"));
    }

    /** One sample of the due events. */
    private record Sample(long due, @Nullable Instant oldest, Instant at) {
        Duration age() {
            return oldest == null ? Duration.ZERO : Duration.between(oldest, at);
        }
    }

    private static Sample sample(Examination examination) throws SQLException {
        Instant now = examination.ask().clock();
        Instant expired = now.minus(examination.leaseTime());
        long due = 0;
        Instant oldest = null;
        for (int status : UNDELIVERED) {
            due += examination.ask().number(COUNT_DUE, status, now, expired, COUNT_TO);
            Instant first = examination
                    .ask()
                    .first(OLDEST_DUE, row -> examination.ask().times().read(row, 1), status, now, expired);
            oldest = oldest == null || (first != null && first.isBefore(oldest)) ? first : oldest;
        }
        return new Sample(due, oldest, now);
    }

    private static List<Finding> growth(Examination examination) throws SQLException {
        Duration apart = examination.doctor().sampleTime;
        Sample first = sample(examination);
        boolean twice = !apart.isZero() && first.due() > 0 && pause(apart);
        Sample last = twice ? sample(examination) : first;
        boolean old = last.age().compareTo(examination.limits().oldestDue()) > 0;
        boolean grows = twice
                && last.due() > first.due()
                && last.age().compareTo(first.age()) > 0
                && last.age().compareTo(apart) > 0;
        if (!old && !grows) {
            return List.of();
        }
        String seen = Examination.capped(last.due(), COUNT_TO) + " events are due and not delivered, the oldest for "
                + Examination.text(last.age());
        if (grows) {
            return List.of(
                    Finding.of(
                            FindingCode.BACKLOG_GROWING,
                            old ? Severity.CRITICAL : Severity.WARNING,
                            seen + "; " + Examination.text(Duration.between(first.at(), last.at()))
                                    + " before there were " + first.due(),
                            "more events are written than delivered: delivery will not catch up without a change",
                            "check whether listeners fail or are slow, then add workers (workerCount) or nodes: docs/metrics.md"));
        }
        return List.of(Finding.of(
                FindingCode.BACKLOG_OLD,
                Severity.CRITICAL,
                seen,
                "consumers see events with this delay",
                "check whether a node is running and polling, and whether listeners fail or are slow; an event that keeps failing"
                        + " blocks its aggregate in ordered delivery"));
    }

    /** @return {@code false} if interrupted */
    private static boolean pause(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        while (end - System.nanoTime() > 0 && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
        return !Thread.currentThread().isInterrupted();
    }
}
