package outbox.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code outbox ops start}: always shows the number of matching events first. */
@Command(
        name = "start",
        description = {
            "Applies an action to all matching events: counts them first, then asks for confirmation.",
            "The server does the work, with a rate limit; this command does not wait for it unless --follow is given."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  outbox ops start retry --state dead --reason \"receiver is back\" --dry-run",
            "  outbox ops start retry --state dead --error timeout -m INC-42 --yes --follow",
            "  outbox ops start redeliver --handler crm --type order.placed --from yesterday -m INC-42 --dry-run"
        })
final class OpsStart extends OpsCommand.OnApi {
    /** The actions. */
    enum Action {
        retry,
        skip,
        park,
        delete,
        redeliver
    }

    @Parameters(paramLabel = "ACTION", description = "one of ${COMPLETION-CANDIDATES}")
    private @Nullable Action action;

    @Mixin
    private FilterOptions filter = new FilterOptions();

    @Option(names = "--id", paramLabel = "ID", description = "id of an event, instead of a filter; may be repeated")
    private List<String> ids = List.of();

    @Option(
            names = "--error-group",
            paramLabel = "GROUP",
            description = "only events with this cause, as listed by: outbox errors")
    private @Nullable String errorGroup;

    @Option(
            names = "--handler",
            paramLabel = "NAME",
            description = "with redeliver: the handler or route that receives delivered events again, as listed by:"
                    + " outbox handlers ls")
    private @Nullable String handler;

    @Option(
            names = {"-m", "--reason"},
            required = true,
            paramLabel = "TEXT",
            description = "reason, recorded with the operation and in the audit log")
    private String reason = "";

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "maximum number of events per second; default: the server's")
    private @Nullable Integer rate;

    @Option(names = "--dry-run", description = "count the events and show some of them, without changing anything")
    private boolean dryRun;

    @Mixin
    private Confirmation confirmation = new Confirmation();

    @Option(names = "--follow", description = "follow the operation until it ends")
    private boolean follow;

    @Override
    void checkUsage() {
        if (ids.isEmpty() && errorGroup == null && filter.toMap().isEmpty()) {
            throw wrongUsage("select the events by a filter, such as --state dead, by --error-group or by --id");
        }
        if (!ids.isEmpty() && (errorGroup != null || !filter.toMap().isEmpty())) {
            throw wrongUsage("--id cannot be combined with a filter or --error-group");
        }
        if ((action == Action.redeliver) != (handler != null)) {
            throw wrongUsage(
                    handler == null ? "redeliver needs --handler" : "--handler is only for redeliver, not " + action);
        }
        if (rate != null) {
            atLeastOne("--rate", rate);
        }
    }

    @Override
    int on(Api api, String operations) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("action", String.valueOf(action));
        body.put("reason", reason);
        if (!ids.isEmpty()) {
            body.put("ids", ids);
        } else if (!filter.toMap().isEmpty()) {
            body.put("filter", filter.toMap());
        }
        if (errorGroup != null) {
            body.put("errorGroup", errorGroup);
        }
        if (handler != null) {
            body.put("handler", handler);
        }
        if (rate != null) {
            body.put("perSecond", rate);
        }
        JsonNode trial = api.post(operations + "/dry-run", body);
        if (dryRun && screen.isJson()) {
            screen.json(spec, trial);
        } else {
            show(trial);
        }
        if (dryRun) {
            return ExitCode.OK;
        }
        if (trial.path("count").asLong(0) == 0 && !trial.path("more").asBoolean(false)) {
            return ExitCode.OK;
        }
        confirmation.require(spec);
        JsonNode operation = api.post(operations, body);
        if (follow) {
            String path = operations + "/" + Api.segment(operation.path("id").asString());
            operation = new Progress(spec).follow(() -> api.get(path));
        }
        print(operation);
        return follow ? Progress.exitCode(operation) : ExitCode.OK;
    }

    private void show(JsonNode trial) {
        Screen.say(
                spec,
                action + " would apply to " + trial.path("count").asLong(0)
                        + (trial.path("more").asBoolean(false) ? " or more" : "") + " events"
                        + (trial.path("sample").isEmpty() ? "." : ", such as:"));
        trial.path("sample").values().stream()
                .limit(5)
                .forEach(event -> Screen.say(
                        spec,
                        "  " + Printable.line(event.path("id").asString("")) + "  "
                                + Printable.line(event.path("type").asString("")) + "  "
                                + Printable.line(event.path("error").asString(""))));
    }
}
