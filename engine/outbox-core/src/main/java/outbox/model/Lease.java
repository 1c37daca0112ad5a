package outbox.model;

import java.util.Objects;

/**
 * The right to deliver a row: who holds it and since when. The database knows the owner and its own time of the lease;
 * {@code takenAtNanos} is this process's monotonic clock from just before the statement was sent, so the local view
 * never believes in a lease longer than the database does.
 *
 * @param owner node id and incarnation, as in the column {@code locked_by}
 * @param takenAtNanos reading of the engine's monotonic clock
 */
public record Lease(String owner, long takenAtNanos) {
    public Lease {
        Objects.requireNonNull(owner, "owner");
    }
}
