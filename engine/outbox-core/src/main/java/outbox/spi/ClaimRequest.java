package outbox.spi;

import java.time.Duration;
import java.util.Objects;

/**
 * What a node asks of {@link LeasingOutboxStore#claim}.
 *
 * @param owner in whose name the rows are leased
 * @param leaseTime how long a lease lasts; older ones of anybody are over
 * @param skipRecent rows created less than this ago stay; zero for none
 * @param limit how many rows at most
 */
public record ClaimRequest(String owner, Duration leaseTime, Duration skipRecent, int limit) {
    public ClaimRequest {
        Objects.requireNonNull(owner, "owner");
        Objects.requireNonNull(skipRecent, "skipRecent");
        if (leaseTime.isNegative() || leaseTime.isZero()) {
            throw new IllegalArgumentException("leaseTime must be positive: " + leaseTime);
        }
        if (limit <= 0) {
            throw new IllegalArgumentException("limit must be positive: " + limit);
        }
    }
}
