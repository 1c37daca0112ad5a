package outbox.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code outbox events ls}. */
@Command(
        name = "ls",
        aliases = "list",
        description = "Lists events, newest first by default.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  outbox events ls --state dead --from 24h",
            "  outbox events ls --state new,retry --order oldest -n 10 --output json"
        })
final class EventsList extends ApiCommand {
    private static final int PAGE = 100;
    /** A search with few matches stops after this many pages and prints how to continue. */
    private static final int MAX_PAGES = 50;

    @Mixin
    private FilterOptions filter = new FilterOptions();

    /** The order of the list. */
    enum Order {
        newest,
        oldest
    }

    @Option(names = "--order", paramLabel = "ORDER", description = "newest or oldest first; default: newest")
    private Order order = Order.newest;

    @Option(
            names = {"-n", "--limit"},
            paramLabel = "N",
            defaultValue = "50",
            description = "maximum number of events; default: ${DEFAULT-VALUE}")
    private int limit = 50;

    @Option(names = "--cursor", paramLabel = "CURSOR", description = "continue at this cursor of a previous list")
    private @Nullable String cursor;

    @Override
    void checkUsage() {
        atLeastOne("--limit", limit);
    }

    @Override
    int call(Api api, String app) {
        String path = app + "/events";
        ArrayNode events = Screen.JSON.createArrayNode();
        String next = cursor;
        for (int page = 0; page < MAX_PAGES; page++) {
            JsonNode answer = api.get(path, query(next, Math.min(PAGE, limit - events.size())));
            answer.path("events").forEach(events::add);
            next = answer.path("next").asStringOpt().orElse(null);
            if (next == null || events.size() >= limit) {
                break;
            }
        }
        if (screen.isJson()) {
            ObjectNode all = Screen.JSON.createObjectNode();
            all.set("events", events);
            all.put("next", next);
            screen.json(spec, all);
        } else {
            print(events, next);
        }
        return ExitCode.OK;
    }

    private Map<String, String> query(@Nullable String next, int size) {
        Map<String, String> query = filter.toMap();
        query.put("order", order.name());
        FilterOptions.put(query, "cursor", next);
        query.put("size", Integer.toString(Math.max(1, size)));
        return query;
    }

    private void print(ArrayNode events, @Nullable String next) {
        if (events.isEmpty()) {
            Screen.say(spec, "No events.");
        } else {
            TextTable table = new TextTable("ID", "CREATED", "STATE", "ATTEMPTS", "TYPE", "AGGREGATE", "ERROR");
            events.forEach(event -> table.add(
                    event.path("id").asString(""),
                    seconds(event.path("createdAt").asString("")),
                    event.path("state").asString("") + (event.path("parked").asBoolean(false) ? " parked" : ""),
                    event.path("attempts").asInt(0),
                    event.path("type").asString(""),
                    aggregate(event),
                    event.path("error").asString("")));
            screen.table(spec, table);
        }
        if (next != null) {
            Screen.say(spec, "There are more events: use --limit, or --cursor " + Printable.line(next));
        }
    }

    static String seconds(String time) {
        return time.replaceFirst("\\.\\d+Z$", "Z");
    }

    static String aggregate(JsonNode event) {
        String id = event.path("aggregateId").asString("");
        String type = event.path("aggregateType").asString("");
        return id.isEmpty() ? type : type + "/" + id;
    }
}
