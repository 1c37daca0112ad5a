package outbox.control.source;

import java.util.List;

/**
 * Events of the same aggregate.
 *
 * @param before oldest first
 * @param after oldest first
 * @param blockers for ordered delivery: the events that must be delivered, skipped or parked first
 */
public record Neighbours(List<EventSummary> before, List<EventSummary> after, List<EventSummary> blockers) {}
