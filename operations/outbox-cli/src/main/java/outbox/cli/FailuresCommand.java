package outbox.cli;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** {@code outbox failures}. */
@Command(
        name = "failures",
        description = {
            "Lists every failed delivery, newest first: failed sends that are retried, and permanent failures.",
            "outbox errors groups them by cause."
        })
final class FailuresCommand extends ApiCommand {
    @Option(names = "--permanent", description = "only failures after which the event became a dead letter")
    private boolean permanent;

    @Option(names = "--type", paramLabel = "TYPE", description = "event type")
    private @Nullable String type;

    @Option(
            names = "--from",
            paramLabel = "TIME",
            converter = TimeText.class,
            description = "failed at or after: " + TimeText.FORMS)
    private @Nullable Instant from;

    @Option(names = "--to", paramLabel = "TIME", converter = TimeText.class, description = "failed before")
    private @Nullable Instant to;

    @Option(
            names = {"-n", "--limit"},
            paramLabel = "N",
            defaultValue = "50",
            description = "maximum number of failures, at most 200; default: ${DEFAULT-VALUE}")
    private int limit = 50;

    @Override
    void checkUsage() {
        atLeastOne("--limit", limit);
    }

    @Override
    int call(Api api, String app) {
        Map<String, String> query = new LinkedHashMap<>();
        query.put("size", Integer.toString(limit));
        FilterOptions.put(query, "action", permanent ? "outbox-failed-permanent" : null);
        FilterOptions.put(query, "type", type);
        FilterOptions.put(query, "from", from == null ? null : from.toString());
        FilterOptions.put(query, "to", to == null ? null : to.toString());
        JsonNode page = api.get(app + "/failures", query);
        if (screen.isJson()) {
            screen.json(spec, page);
            return ExitCode.OK;
        }
        if (page.path("failures").isEmpty()) {
            Screen.say(
                    spec,
                    page.path("recorded").asBoolean(false)
                            ? "No failed deliveries."
                            : "This application does not record failed deliveries.");
        } else {
            TextTable table = new TextTable("TIME", "ACTION", "EVENT", "TYPE", "ATTEMPTS", "NODE", "ERROR");
            page.path("failures")
                    .forEach(failure -> table.add(
                            EventsList.seconds(failure.path("at").asString("")),
                            failure.path("action").asString(""),
                            failure.path("eventId").asString(""),
                            failure.path("type").asString(""),
                            failure.path("attempts").asLong(0),
                            failure.path("node").asString(""),
                            failure.path("error").asString("")));
            screen.table(spec, table);
        }
        long lost = page.path("lost").asLong(0);
        if (lost > 0) {
            Screen.say(spec, lost + " failed deliveries could not be recorded by running nodes.");
        }
        return ExitCode.OK;
    }
}
