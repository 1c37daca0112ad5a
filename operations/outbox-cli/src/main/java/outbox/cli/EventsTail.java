package outbox.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** {@code outbox events tail}. */
@Command(
        name = "tail",
        description = {
            "Prints events as they appear, oldest first, until you end it with Ctrl-C.",
            "With --state dead it prints events as they die. With --output json each line is one event."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  outbox events tail --type OrderPlaced",
            "  outbox events tail --state dead -n 0 -o json | jq .error"
        })
final class EventsTail extends ApiCommand {
    private static final int PAGE = 200;
    private static final int REMEMBERED = 20 * PAGE;
    private static final int MAX_PAGES = 10;

    @Mixin
    private FilterOptions filter = new FilterOptions();

    @Option(
            names = {"-n", "--lines"},
            paramLabel = "N",
            defaultValue = "10",
            description = "number of earlier events to begin with, at most 200; default: ${DEFAULT-VALUE}")
    private int lines = 10;

    @Option(
            names = "--interval",
            paramLabel = "SECONDS",
            defaultValue = "2",
            description = "seconds between two requests; default: ${DEFAULT-VALUE}")
    private int interval = 2;

    private final Map<String, Boolean> seen = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > REMEMBERED;
        }
    };

    @Override
    void checkUsage() {
        atLeastOne("--interval", interval);
        if (lines < 0 || lines > PAGE) {
            throw wrongUsage("--lines must be between 0 and " + PAGE + ", not " + lines);
        }
    }

    @Override
    int call(Api api, String app) {
        List<JsonNode> first = unseen(api, app, 1);
        first.stream().skip(Math.max(0, first.size() - lines)).forEach(this::print);
        while (!Thread.currentThread().isInterrupted()) {
            Screen.out(spec).flush();
            LockSupport.parkNanos(Duration.ofSeconds(interval).toNanos());
            unseen(api, app, MAX_PAGES).forEach(this::print);
        }
        return ExitCode.OK;
    }

    /** Oldest first. An event can appear after younger ones: its transaction was longer. */
    private List<JsonNode> unseen(Api api, String app, int maxPages) {
        List<JsonNode> found = new ArrayList<>();
        String cursor = null;
        for (int page = 0; page < maxPages; page++) {
            Map<String, String> query = filter.toMap();
            query.put("size", Integer.toString(PAGE));
            FilterOptions.put(query, "cursor", cursor);
            JsonNode answer = api.get(app + "/events", query);
            boolean allNew = true;
            for (JsonNode event : answer.path("events")) {
                if (seen.put(event.path("id").asString(""), true) == null) {
                    found.add(event);
                } else {
                    allNew = false;
                }
            }
            cursor = answer.path("next").asStringOpt().orElse(null);
            if (cursor == null || !allNew) {
                break;
            }
        }
        Collections.reverse(found);
        return found;
    }

    private void print(JsonNode event) {
        if (screen.isJson()) {
            Screen.out(spec).println(Screen.LINE.writeValueAsString(event));
        } else {
            Screen.out(spec)
                    .println(Printable.line(String.join(
                                    "  ",
                                    EventsList.seconds(event.path("createdAt").asString("")),
                                    event.path("id").asString(""),
                                    String.format("%-5s", event.path("state").asString("")),
                                    event.path("type").asString(""),
                                    EventsList.aggregate(event),
                                    event.path("error").asString("")))
                            .stripTrailing());
        }
    }
}
