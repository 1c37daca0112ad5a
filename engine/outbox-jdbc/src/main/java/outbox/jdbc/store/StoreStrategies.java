package outbox.jdbc.store;

import org.jspecify.annotations.Nullable;

/**
 * The parts that a database's store is composed of.
 *
 * @param insert such as {@link MultiRowInsert}
 * @param claim such as {@link SkipLockedClaim}, or {@link MarkingClaim} for a database without {@code SKIP LOCKED}
 * @param pendingClaim such as {@link MarkingClaim}
 * @param orderedClaim such as {@link OrderedClaim}; {@code null} if the store does not support ordered delivery
 * @param settlement such as {@link KeyedSettlement}
 */
public record StoreStrategies(
        InsertStrategy insert,
        ClaimStrategy claim,
        PendingClaimStrategy pendingClaim,
        @Nullable ClaimStrategy orderedClaim,
        SettlementStrategy settlement) {}
