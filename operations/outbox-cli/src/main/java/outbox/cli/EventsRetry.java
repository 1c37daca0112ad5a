package outbox.cli;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code outbox events retry}. */
@Command(
        name = "retry",
        description = {
            "Has events delivered again, now: dead ones and those that wait for their next attempt.",
            "For many of them start an operation instead: outbox ops start."
        })
final class EventsRetry implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Mixin
    private Screen screen = new Screen();

    @Parameters(paramLabel = "ID", arity = "1..*", description = "the events' ids")
    private List<String> ids = List.of();

    @Option(
            names = {"-m", "--reason"},
            paramLabel = "TEXT",
            description = "why; it is kept in the audit log")
    private @Nullable String reason;

    @Override
    public Integer call() {
        Api api = server.api();
        String app = Api.segment(server.app(api));
        ArrayNode results = Screen.JSON.createArrayNode();
        boolean all = true;
        for (String id : ids) {
            ObjectNode result = results.addObject().put("id", id);
            try {
                api.post("/apps/" + app + "/events/" + Api.segment(id) + "/retry", body());
                result.put("retried", true);
            } catch (CliException e) {
                if (ids.size() == 1 || (e.exitCode() != ExitCode.NOT_FOUND && e.exitCode() != ExitCode.REFUSED)) {
                    throw e;
                }
                all = false;
                result.put("retried", false).put("error", e.getMessage());
            }
        }
        if (screen.isJson()) {
            screen.json(spec, results);
        } else {
            TextTable table = new TextTable("ID", "RESULT");
            results.forEach(result -> table.add(
                    result.path("id").asString(),
                    result.path("retried").asBoolean()
                            ? "retried"
                            : result.path("error").asString()));
            screen.table(spec, table);
        }
        return all ? ExitCode.OK : ExitCode.FOUND;
    }

    private Map<String, String> body() {
        return reason == null ? Map.of() : Map.of("reason", reason);
    }
}
