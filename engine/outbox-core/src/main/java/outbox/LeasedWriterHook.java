package outbox;

import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.model.Lease;

/**
 * A hook that delivers in this process and therefore owns the rows from their insert on, so that no other node takes
 * them. An {@link OutboxWriter} asks one such hook; hooks that only watch are {@link WriterHook}s.
 */
public interface LeasedWriterHook extends WriterHook {
    /**
     * Asked right before the insert: the lease under which the rows are born, or {@code null} for rows that belong to
     * nobody yet.
     */
    @Nullable
    Lease lease();

    /**
     * Asked right before the commit of rows that were born under {@code lease}: whether it will still be good for their
     * delivery. If not, the writer releases the rows within the transaction, and {@link #afterRelease} is called. Asked again
     * at the delivery: while it is good, no other node can have had the rows.
     */
    boolean isInTime(Lease lease);

    /** After commit of rows that were born leased and released before it: whoever claims them delivers them. */
    void afterRelease(List<EventEnvelope> events);

    /** After commit of rows that were born under {@code lease}; called instead of {@link #afterCommit(List)} then. */
    void afterCommit(List<EventEnvelope> events, Lease lease);
}
