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
 * @param maxBytes how many bytes of payloads and headers, as text in UTF-8; the row that reaches this number is the last
 *     one, so a claim always takes one row, however large. The store must not read more than that into memory first.
 */
public record ClaimRequest(String owner, Duration leaseTime, Duration skipRecent, int limit, long maxBytes) {
    public ClaimRequest {
        Objects.requireNonNull(owner, "owner");
        Objects.requireNonNull(skipRecent, "skipRecent");
        if (leaseTime.isNegative() || leaseTime.isZero()) {
            throw new IllegalArgumentException("leaseTime must be positive: " + leaseTime);
        }
        if (limit <= 0) {
            throw new IllegalArgumentException("limit must be positive: " + limit);
        }
        if (maxBytes <= 0) {
            throw new IllegalArgumentException("maxBytes must be positive: " + maxBytes);
        }
    }

    /** A claim that is not bounded by bytes. */
    public ClaimRequest(String owner, Duration leaseTime, Duration skipRecent, int limit) {
        this(owner, leaseTime, skipRecent, limit, Long.MAX_VALUE);
    }
}
