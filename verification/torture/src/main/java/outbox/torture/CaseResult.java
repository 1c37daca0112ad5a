package outbox.torture;

import java.util.List;

/**
 * The line of one case in the table.
 *
 * @param orderViolations -1 where no order was promised
 * @param recoveryMillis -1 where there was nothing to recover from
 * @param recoveryLimitMillis -1 where no time is promised
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
        long seconds,
        List<String> complaints) {

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
                seconds,
                List.of("the case could not be run to its end: " + failure));
    }

    boolean passed() {
        return complaints.isEmpty();
    }
}
