package outbox.doctor;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds listeners that take longer than a lease. */
final class LeaseLength {
    static final Check CHECK = new Check("lease time", LeaseLength::look);

    private static final int ENOUGH = 20;
    private static final int SAMPLE = 1000;

    private LeaseLength() {}

    private static List<Finding> look(Examination examination) throws SQLException {
        ListenerTimes times = examination.doctor().listenerTimes;
        if (times != null) {
            return times.summaries().entrySet().stream()
                    .filter(type -> type.getValue().count() >= ENOUGH)
                    .max(Map.Entry.comparingByValue((a, b) -> a.p99().compareTo(b.p99())))
                    .map(type -> judge(
                            examination,
                            type.getValue().p99(),
                            "of the last " + type.getValue().count() + " listener calls for " + type.getKey()))
                    .orElse(List.of());
        }
        Duration recorded = recorded(examination);
        return recorded == null
                ? List.of()
                : judge(examination, recorded, "of the last failed attempts, which are all that is recorded,");
    }

    /** Only failed attempts are recorded: they include timeouts, but not slow successful calls. */
    private static @Nullable Duration recorded(Examination examination) throws SQLException {
        if (!examination.hasTable("outbox_attempt")) {
            return null;
        }
        List<Long> micros = examination
                .ask()
                .list(
                        "SELECT duration_micros FROM outbox_attempt ORDER BY happened_at DESC LIMIT " + SAMPLE,
                        row -> row.getLong(1))
                .stream()
                .filter(duration -> duration > 0)
                .sorted()
                .toList();
        if (micros.size() < ENOUGH) {
            return null;
        }
        return Duration.ofNanos(1000 * micros.get((int) Math.ceil(micros.size() * 0.99) - 1));
    }

    private static List<Finding> judge(Examination examination, Duration p99, String whose) {
        Duration lease = examination.leaseTime();
        if (p99.compareTo(lease) < 0) {
            return List.of();
        }
        return List.of(Finding.of(
                FindingCode.LEASE_TOO_SHORT,
                Severity.WARNING,
                "1 percent " + whose + " took " + Examination.text(p99) + " or longer; the lease is "
                        + Examination.text(lease) + " " + examination.leaseOrigin(),
                "such a delivery depends on renewals of its lease: if the process pauses or loses the database meanwhile,"
                        + " another node delivers the event a second time",
                "set leaseTime to at least " + Examination.text(p99.multipliedBy(2))
                        + " on all nodes, or give the listener a timeout below the lease"));
    }
}
