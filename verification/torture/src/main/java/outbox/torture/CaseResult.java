package outbox.torture;

import java.util.List;
import java.util.Map;

/**
 * The line of one case in the table.
 *
 * @param orderViolations -1 where no order was promised
 * @param recoveryMillis -1 where there was nothing to recover from
 * @param recoveryLimitMillis -1 where no time is promised
 * @param unreplicated what asynchronous replication had not brought to the new primary
 * @param figures what only some cases measure, by the head of its column
 * @param complaints what is wrong, in words; empty for a case that has passed
 */
record CaseResult(
        String name,
        String what,
        long events,
        int faults,
        long lost,
        long phantoms,
        long duplicates,
        long allowedDuplicates,
        long orderViolations,
        long recoveryMillis,
        long recoveryLimitMillis,
        Unreplicated unreplicated,
        Map<String, String> figures,
        long seconds,
        List<String> complaints) {

    /** Events of transactions that a failover has lost, and how many of them had been delivered. */
    record Unreplicated(long events, long delivered) {
        static final Unreplicated NO_FAILOVER = new Unreplicated(-1, -1);

        boolean isPossible() {
            return events >= 0;
        }

        @Override
        public String toString() {
            return !isPossible() ? "–" : events == 0 ? "0" : events + ", " + delivered + " of them delivered";
        }
    }

    static CaseResult broken(TortureCase torture, long seconds, Throwable failure) {
        return new CaseResult(
                torture.name(),
                torture.what(),
                0,
                0,
                0,
                0,
                0,
                0,
                -1,
                -1,
                -1,
                Unreplicated.NO_FAILOVER,
                Map.of(),
                seconds,
                List.of("the case could not be run to its end: " + failure));
    }

    boolean passed() {
        return complaints.isEmpty();
    }
}
