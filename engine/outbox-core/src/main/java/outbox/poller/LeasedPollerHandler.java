package outbox.poller;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A handler that delivers in this process and therefore has to know whose the rows are. */
public interface LeasedPollerHandler extends OutboxPollerHandler {
    /**
     * Takes the events of one claim; called instead of {@link #handle(outbox.EventEnvelope, int)}.
     *
     * @return how many of them were taken, from the first on; the poller gives the others back
     */
    int handle(List<ClaimedEvent> claimed);

    /** In whose name the poller claims if it was given no name of its own. */
    @Nullable
    String leaseOwner();

    /**
     * Called once by the poller that uses this handler.
     *
     * @param wakeUp asks for a poll after the given time: there is room again, or something becomes due
     * @param leaseTime after what time the poller considers leases over; {@code null} if it does not claim
     * @throws IllegalArgumentException if the handler cannot keep its promises with such leases
     */
    void attached(Consumer<Duration> wakeUp, @Nullable Duration leaseTime);

    /** How long leases last if the poller was given no time of its own. */
    Duration leaseTime();
}
