package outbox.cli;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code outbox events retry}, {@code skip}, {@code park} and {@code delete}: the same for each of some events. */
abstract class EventsAct extends ApiCommand {
    @Parameters(paramLabel = "ID", arity = "1..*", description = "ids of the events")
    private List<String> ids = List.of();

    @Option(
            names = {"-m", "--reason"},
            paramLabel = "TEXT",
            description = "reason, recorded in the audit log")
    private @Nullable String reason;

    private final String action;
    private final String done;

    private EventsAct(String action, String done) {
        this.action = action;
        this.done = done;
    }

    abstract void send(Api api, String event, Map<String, String> body);

    @Override
    int call(Api api, String app) {
        ArrayNode results = Screen.JSON.createArrayNode();
        boolean all = true;
        for (String id : ids) {
            ObjectNode result = results.addObject().put("id", id).put("action", action);
            try {
                send(api, app + "/events/" + Api.segment(id), reason == null ? Map.of() : Map.of("reason", reason));
                result.put("ok", true);
            } catch (CliException e) {
                if (ids.size() == 1 || (e.exitCode() != ExitCode.NOT_FOUND && e.exitCode() != ExitCode.REFUSED)) {
                    throw e;
                }
                all = false;
                result.put("ok", false).put("error", e.getMessage());
            }
        }
        if (screen.isJson()) {
            screen.json(spec, results);
        } else {
            TextTable table = new TextTable("ID", "RESULT");
            results.forEach(result -> table.add(
                    result.path("id").asString(),
                    result.path("ok").asBoolean() ? done : result.path("error").asString()));
            screen.table(spec, table);
        }
        return all ? ExitCode.OK : ExitCode.FOUND;
    }

    /** {@code outbox events retry}. */
    @Command(
            name = "retry",
            description = {
                "Delivers dead events again, and retries waiting ones now.",
                "For many events use a bulk operation: outbox ops start."
            })
    static final class Retry extends EventsAct {
        Retry() {
            super("retry", "retried");
        }

        @Override
        void send(Api api, String event, Map<String, String> body) {
            api.post(event + "/retry", body);
        }
    }

    /** {@code outbox events skip}. */
    @Command(name = "skip", description = "Marks events as done without delivering them.")
    static final class Skip extends EventsAct {
        Skip() {
            super("skip", "skipped");
        }

        @Override
        void send(Api api, String event, Map<String, String> body) {
            api.post(event + "/skip", body);
        }
    }

    /** {@code outbox events park}. */
    @Command(name = "park", description = "Sets events aside as dead letters, until someone retries them.")
    static final class Park extends EventsAct {
        Park() {
            super("park", "parked");
        }

        @Override
        void send(Api api, String event, Map<String, String> body) {
            api.post(event + "/park", body);
        }
    }

    /** {@code outbox events delete}. */
    @Command(
            name = "delete",
            description = "Deletes events from the table, after confirmation. They are not delivered.")
    static final class Delete extends EventsAct {
        @Mixin
        private Confirmation confirmation = new Confirmation();

        Delete() {
            super("delete", "deleted");
        }

        @Override
        int call(Api api, String app) {
            confirmation.require(spec);
            return super.call(api, app);
        }

        @Override
        void send(Api api, String event, Map<String, String> body) {
            api.delete(event, body);
        }
    }
}
