package outbox.doctor;

import java.time.Duration;
import java.util.Objects;

/**
 * From where on something is a finding. Immutable.
 *
 * @param clockOffset between this process and the database, beyond what the network explains
 * @param oldestDue age of the oldest event that is due and was not delivered
 * @param openTransaction age of the oldest open transaction
 * @param deadRows row versions that nobody can see any more: on PostgreSQL dead tuples of the table, if they are also a
 *     fifth of the live ones; on MySQL and MariaDB the history that is not purged, of the whole server, times 100
 * @param slotBytes log that a replication slot keeps from being removed
 * @param unusedIndexRows rows written before an index that nobody ever read counts as unused
 * @param attempts attempts of one event from which on its retries have no limit worth the name
 */
public record DoctorLimits(
        Duration clockOffset,
        Duration oldestDue,
        Duration openTransaction,
        long deadRows,
        long slotBytes,
        long unusedIndexRows,
        int attempts) {
    public DoctorLimits {
        Objects.requireNonNull(clockOffset, "clockOffset");
        Objects.requireNonNull(oldestDue, "oldestDue");
        Objects.requireNonNull(openTransaction, "openTransaction");
    }

    /** 2 s, 5 min, 5 min, 10 000 rows, 1 GB, 1000 rows, 1000 attempts. */
    public static DoctorLimits defaults() {
        return new DoctorLimits(
                Duration.ofSeconds(2), Duration.ofMinutes(5), Duration.ofMinutes(5), 10_000, 1L << 30, 1000, 1000);
    }

    public DoctorLimits withClockOffset(Duration limit) {
        return new DoctorLimits(limit, oldestDue, openTransaction, deadRows, slotBytes, unusedIndexRows, attempts);
    }

    public DoctorLimits withOldestDue(Duration limit) {
        return new DoctorLimits(clockOffset, limit, openTransaction, deadRows, slotBytes, unusedIndexRows, attempts);
    }

    public DoctorLimits withOpenTransaction(Duration limit) {
        return new DoctorLimits(clockOffset, oldestDue, limit, deadRows, slotBytes, unusedIndexRows, attempts);
    }

    public DoctorLimits withDeadRows(long limit) {
        return new DoctorLimits(clockOffset, oldestDue, openTransaction, limit, slotBytes, unusedIndexRows, attempts);
    }

    public DoctorLimits withSlotBytes(long limit) {
        return new DoctorLimits(clockOffset, oldestDue, openTransaction, deadRows, limit, unusedIndexRows, attempts);
    }

    public DoctorLimits withUnusedIndexRows(long limit) {
        return new DoctorLimits(clockOffset, oldestDue, openTransaction, deadRows, slotBytes, limit, attempts);
    }

    public DoctorLimits withAttempts(int limit) {
        return new DoctorLimits(clockOffset, oldestDue, openTransaction, deadRows, slotBytes, unusedIndexRows, limit);
    }
}
