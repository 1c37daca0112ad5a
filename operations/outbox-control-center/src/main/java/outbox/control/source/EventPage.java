package outbox.control.source;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a list.
 *
 * @param next where the next page starts; {@code null} at the end
 * @param partial fewer events than asked for, because enough rows were looked at; {@link #next} goes on from there
 * @param reached how far the search got, if it is partial: a time of the list's order, where it has one
 */
public record EventPage(
        List<EventSummary> events,
        @Nullable String next,
        boolean partial,
        @Nullable Instant reached) {}
