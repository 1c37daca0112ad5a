package outbox.doctor;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Checks the isolation level of connections, and the clock of the database. */
final class Connections {
    static final Check ISOLATION = new Check("isolation level", Connections::isolation);
    static final Check CLOCK = new Check("clock offset", Connections::clock);

    private static final int READINGS = 5;
    private static final String CONFLICTS =
            "claims and outcomes of several nodes access the same rows by design; at this level they cause serialization"
                    + " failures or wait for each other instead of skipping locked rows";

    private Connections() {}

    private static List<Finding> isolation(Examination examination) throws SQLException {
        int level = examination.ask().connection().getTransactionIsolation();
        if (!examination.catalog().unsuitableLevels().contains(level)) {
            return List.of();
        }
        return switch (level) {
            case Connection.TRANSACTION_READ_UNCOMMITTED ->
                wrong(
                        "READ UNCOMMITTED",
                        Severity.CRITICAL,
                        "a claim may see and deliver events of a transaction that is rolled back later");
            case Connection.TRANSACTION_REPEATABLE_READ -> wrong("REPEATABLE READ", Severity.WARNING, CONFLICTS);
            default -> wrong("SERIALIZABLE", Severity.WARNING, CONFLICTS);
        };
    }

    private static List<Finding> wrong(String level, Severity severity, String why) {
        return List.of(Finding.of(
                FindingCode.ISOLATION,
                severity,
                "connections of the data source use " + level,
                why,
                "configure the data source for READ COMMITTED; business transactions that need more can request it"));
    }

    /** The sample with the shortest round trip is the most accurate. */
    private static List<Finding> clock(Examination examination) throws SQLException {
        Duration offset = Duration.ZERO;
        Duration shortest = null;
        for (int i = 0; i < READINGS; i++) {
            long started = System.nanoTime();
            Instant before = examination.doctor().clock.instant();
            Instant there = examination.ask().clock();
            Duration way = Duration.ofNanos(System.nanoTime() - started);
            if (shortest == null || way.compareTo(shortest) < 0) {
                shortest = way;
                offset = Duration.between(before.plus(way.dividedBy(2)), there);
            }
        }
        Duration sure = offset.abs().minus(shortest == null ? Duration.ZERO : shortest.dividedBy(2));
        if (sure.compareTo(examination.limits().clockOffset()) <= 0) {
            return List.of();
        }
        return List.of(Finding.of(
                FindingCode.CLOCK_OFFSET,
                Severity.WARNING,
                "this process's clock is " + Examination.text(offset.abs())
                        + (offset.isNegative() ? " ahead of" : " behind") + " the database's",
                "leases use the database's clock and are safe; but ids, created_at and delays of events"
                        + " use this process's clock, so events look older or younger than they are, and wait too long or not"
                        + " long enough",
                "synchronize both machines with the same time service (NTP, chrony)"));
    }
}
