package outbox.cli;

import picocli.CommandLine.Command;
import tools.jackson.databind.JsonNode;

/** {@code outbox errors}. */
@Command(
        name = "errors",
        description = {
            "Lists the causes of recent failures, with the number of events that are dead or waiting for a retry.",
            "Retry all events of a cause with: outbox ops start retry --error-group GROUP"
        })
final class ErrorsCommand extends ApiCommand {
    @Override
    int call(Api api, String app) {
        JsonNode answer = api.get(app + "/errors");
        if (screen.isJson()) {
            screen.json(spec, answer);
            return ExitCode.OK;
        }
        if (answer.path("groups").isEmpty()) {
            Screen.say(spec, "No failures.");
        } else {
            TextTable table = new TextTable("GROUP", "DEAD", "RETRYING", "LAST SEEN", "EXAMPLE", "ERROR");
            answer.path("groups")
                    .forEach(group -> table.add(
                            group.path("id").asString(""),
                            group.path("dead").asLong(0),
                            group.path("retrying").asLong(0),
                            EventsList.seconds(group.path("lastSeen").asString("")),
                            group.path("example").asString(""),
                            group.path("errorClass").asString("") + ": "
                                    + group.path("message").asString("")));
            screen.table(spec, table);
        }
        Screen.say(
                spec,
                "Failures as of " + EventsList.seconds(answer.path("at").asString(""))
                        + "; they are read every 10 to 30 s.");
        if (answer.path("partial").asBoolean(false)) {
            Screen.say(spec, "There are more failures than were read; counts are lower bounds.");
        }
        return ExitCode.OK;
    }
}
