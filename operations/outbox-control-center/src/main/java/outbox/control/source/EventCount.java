package outbox.control.source;

import java.util.List;

/**
 * A bounded count of events.
 *
 * @param more whether there are more events than were counted
 * @param first the ids of the first few
 */
public record EventCount(int events, boolean more, List<String> first) {}
