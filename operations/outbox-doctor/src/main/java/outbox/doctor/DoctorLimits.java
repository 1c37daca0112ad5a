package outbox.doctor;

import java.time.Duration;
import java.util.Objects;

/**
 * Thresholds of findings. Immutable.
 *
 * @param clockOffset between this process and the database, not explained by network latency
 * @param oldestDue age of the oldest event that is due and was not delivered
 * @param openTransaction age of the oldest open transaction
 * @param deadRows obsolete row versions: on PostgreSQL dead tuples of the table, if they are also a fifth of the live
 *     ones; on MySQL and MariaDB a hundredth of this is the limit for the unpurged history of the server
 * @param slotBytes log retained by a replication slot
 * @param unusedIndexRows rows written before an index that was never read counts as unused
 * @param attempts attempts of one event above which retries count as unlimited
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
