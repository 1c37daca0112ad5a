package outbox.cli;

import picocli.CommandLine.Command;
import tools.jackson.databind.JsonNode;

/** {@code outbox nodes}. */
@Command(
        name = "nodes",
        description = "Lists the nodes of an application, their heartbeats and what they have in flight.")
final class NodesCommand extends ApiCommand {
    @Override
    int call(Api api, String app) {
        JsonNode answer = api.get(app + "/nodes");
        if (screen.isJson()) {
            screen.json(spec, answer);
        } else if (answer.path("nodes").isEmpty()) {
            Screen.say(spec, "No nodes: none has sent a heartbeat.");
        } else {
            TextTable table = new TextTable(
                    "NODE", "VERSION", "STARTED", "LAST SEEN", "IN FLIGHT", "DELIVERED", "FAILED", "DEAD");
            answer.path("nodes")
                    .forEach(node -> table.add(
                            node.path("name").asString(""),
                            node.path("version").asString(""),
                            EventsList.seconds(node.path("startedAt").asString("")),
                            Math.round(node.path("silentSeconds").asDouble(0)) + " s ago",
                            node.path("inFlight").asLong(0),
                            node.path("delivered").asLong(0),
                            node.path("failed").asLong(0),
                            node.path("dead").asLong(0)));
            screen.table(spec, table);
        }
        return ExitCode.OK;
    }
}
