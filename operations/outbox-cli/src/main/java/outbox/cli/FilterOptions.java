package outbox.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which events. */
final class FilterOptions {
    @Option(names = "--state", paramLabel = "STATES", description = "new, retry, dead, done; several with commas")
    private @Nullable String state;

    @Option(names = "--type", paramLabel = "TYPE", description = "of this event type")
    private @Nullable String type;

    @Option(names = "--aggregate-type", paramLabel = "TYPE", description = "of this aggregate type")
    private @Nullable String aggregateType;

    @Option(names = "--aggregate-id", paramLabel = "ID", description = "of this aggregate")
    private @Nullable String aggregateId;

    @Option(names = "--tenant", paramLabel = "ID", description = "of this tenant")
    private @Nullable String tenant;

    @Option(names = "--error", paramLabel = "TEXT", description = "whose last error contains this")
    private @Nullable String error;

    @Option(
            names = "--from",
            paramLabel = "TIME",
            description = "created since, like 2026-01-31T12:00:00Z, or PT1H for an hour ago")
    private @Nullable String from;

    @Option(names = "--to", paramLabel = "TIME", description = "created before")
    private @Nullable String to;

    /** By the names the API has for them. */
    Map<String, String> toMap() {
        Map<String, String> filter = new LinkedHashMap<>();
        put(filter, "state", state);
        put(filter, "type", type);
        put(filter, "aggregateType", aggregateType);
        put(filter, "aggregateId", aggregateId);
        put(filter, "tenant", tenant);
        put(filter, "error", error);
        put(filter, "from", from);
        put(filter, "to", to);
        return filter;
    }

    static void put(Map<String, String> map, String name, @Nullable String value) {
        if (value != null) {
            map.put(name, value);
        }
    }
}
