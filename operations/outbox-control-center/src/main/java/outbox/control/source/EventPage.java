package outbox.control.source;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a list.
 *
 * @param next the cursor of the next page; {@code null} at the end
 * @param partial whether the search stopped early, because it had read enough rows; {@link #next} continues it
 * @param reached how far a partial search got, if the list is sorted by a time
 */
public record EventPage(
        List<EventSummary> events,
        @Nullable String next,
        boolean partial,
        @Nullable Instant reached) {}
