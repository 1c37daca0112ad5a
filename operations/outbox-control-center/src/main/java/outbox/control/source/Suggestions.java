package outbox.control.source;

import java.util.List;

/** Values of recent and dead events, the most frequent first, to complete a filter with. */
public record Suggestions(List<String> types, List<String> aggregateTypes, List<String> tenants) {}
