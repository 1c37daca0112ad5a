package outbox.cli;

import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code outbox events show}. */
@Command(name = "show", description = "Shows one event with its headers, its last error and its failed attempts.")
final class EventsShow extends ApiCommand {
    @Parameters(paramLabel = "ID", description = "id of the event")
    private String id = "";

    @Option(names = "--payload", description = "include the payload; requires a separate permission and is audited")
    private boolean payload;

    @Override
    int call(Api api, String app) {
        String path = app + "/events/" + Api.segment(id);
        ObjectNode all = (ObjectNode) api.get(path);
        all.set("attempts", api.get(path + "/attempts").path("attempts"));
        if (payload) {
            all.set("payload", api.get(path + "/payload").path("payload"));
        }
        if (screen.isJson()) {
            screen.json(spec, all);
        } else {
            print(all);
        }
        return ExitCode.OK;
    }

    private void print(ObjectNode all) {
        JsonNode event = all.path("event");
        field("id", event.path("id"));
        field("type", event.path("type"));
        line("aggregate", EventsList.aggregate(event));
        field("tenant", event.path("tenant"));
        line("state", event.path("state").asString("") + (event.path("parked").asBoolean(false) ? ", parked" : ""));
        field("attempts", event.path("attempts"));
        field("created", event.path("createdAt"));
        field("due", event.path("availableAt"));
        field("done", event.path("doneAt"));
        field("leased by", event.path("lockedBy"));
        all.path("headers")
                .properties()
                .forEach(header ->
                        line("header " + header.getKey(), header.getValue().asString("")));
        PrintWriter out = Screen.out(spec);
        if (all.hasNonNull("error")) {
            out.println();
            out.println("Last error:");
            out.println(Printable.text(all.path("error").asString())
                    .strip()
                    .indent(2)
                    .stripTrailing());
        }
        if (!all.path("attempts").isEmpty()) {
            out.println();
            TextTable table = new TextTable("ATTEMPT", "WHEN", "TOOK", "NODE", "ERROR");
            all.path("attempts")
                    .forEach(attempt -> table.add(
                            attempt.path("number").asInt(0),
                            EventsList.seconds(attempt.path("at").asString("")),
                            took(attempt.path("durationMicros")),
                            attempt.path("node").asString(""),
                            firstLine(attempt.path("error").asString(""))));
            screen.table(spec, table);
        }
        if (all.hasNonNull("payload")) {
            out.println();
            out.println("Payload:");
            out.println(Printable.text(all.path("payload").asString()).indent(2).stripTrailing());
        }
        out.flush();
    }

    private static String took(JsonNode micros) {
        return micros.isNumber() ? micros.asLong() / 1000 + " ms" : "";
    }

    private static String firstLine(String error) {
        return error.lines().findFirst().orElse("");
    }

    private void field(String name, @Nullable JsonNode value) {
        if (value != null && !value.isNull() && !value.isMissingNode()) {
            line(name, value.asString(""));
        }
    }

    private void line(String name, String value) {
        if (!value.isEmpty()) {
            Screen.out(spec).println(String.format("%-12s %s", Printable.line(name), Printable.line(value)));
        }
    }
}
