package outbox.cli;

import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Filter of events. */
final class FilterOptions {
    @Option(
            names = "--state",
            paramLabel = "STATES",
            completionCandidates = States.class,
            description = "new, scheduled, held, retry, dead or done; separate several with commas")
    private @Nullable String state;

    @Option(names = "--type", paramLabel = "TYPE", description = "event type")
    private @Nullable String type;

    @Option(names = "--aggregate-type", paramLabel = "TYPE", description = "aggregate type")
    private @Nullable String aggregateType;

    @Option(names = "--aggregate-id", paramLabel = "ID", description = "aggregate id")
    private @Nullable String aggregateId;

    @Option(names = "--tenant", paramLabel = "ID", description = "tenant id")
    private @Nullable String tenant;

    @Option(names = "--error", paramLabel = "TEXT", description = "text contained in the last error")
    private @Nullable String error;

    @Option(
            names = "--from",
            paramLabel = "TIME",
            converter = TimeText.class,
            description = "created at or after: " + TimeText.FORMS)
    private @Nullable Instant from;

    @Option(names = "--to", paramLabel = "TIME", converter = TimeText.class, description = "created before")
    private @Nullable Instant to;

    /** Suggestions for the tab key. */
    static final class States implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return List.of("new", "retry", "dead", "done").iterator();
        }
    }

    /** As query parameters of the API. */
    Map<String, String> toMap() {
        Map<String, String> filter = new LinkedHashMap<>();
        put(filter, "state", state);
        put(filter, "type", type);
        put(filter, "aggregateType", aggregateType);
        put(filter, "aggregateId", aggregateId);
        put(filter, "tenant", tenant);
        put(filter, "error", error);
        put(filter, "from", from == null ? null : from.toString());
        put(filter, "to", to == null ? null : to.toString());
        return filter;
    }

    static void put(Map<String, String> map, String name, @Nullable String value) {
        if (value != null) {
            map.put(name, value);
        }
    }
}
