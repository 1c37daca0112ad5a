package outbox.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code outbox ops start}: never before it was said how many events it is about. */
@Command(
        name = "start",
        description = {
            "Does something to all events that match: first a dry run that counts them, then, after a yes, the work.",
            "The server does the work, at a limited pace; this command may end before it does."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  outbox ops start retry --state dead --reason \"receiver is back\" --dry-run",
            "  outbox ops start retry --state dead --error timeout -m INC-42 --yes --follow"
        })
final class OpsStart extends OpsCommand.OnApi {
    /** What can be done. */
    enum Action {
        retry,
        skip,
        park,
        delete
    }

    @Parameters(paramLabel = "ACTION", description = "one of ${COMPLETION-CANDIDATES}")
    private @Nullable Action action;

    @Mixin
    private FilterOptions filter = new FilterOptions();

    @Option(
            names = "--id",
            paramLabel = "ID",
            description = "these events instead of a filter; may be given several times")
    private List<String> ids = List.of();

    @Option(
            names = {"-m", "--reason"},
            required = true,
            paramLabel = "TEXT",
            description = "why; it is kept with the operation and in the audit log")
    private String reason = "";

    @Option(names = "--rate", paramLabel = "N", description = "at most so many events a second; default: the server's")
    private @Nullable Integer rate;

    @Option(names = "--dry-run", description = "count the events and show some of them, and do nothing")
    private boolean dryRun;

    @Option(
            names = {"-y", "--yes"},
            description = "do not ask before the work begins")
    private boolean yes;

    @Option(names = "--follow", description = "watch it until it ends")
    private boolean follow;

    @Override
    int call(Api api, String operations) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("action", String.valueOf(action));
        body.put("reason", reason);
        if (ids.isEmpty()) {
            body.put("filter", filter.toMap());
        } else {
            body.put("ids", ids);
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
        confirm();
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
                action + " would be done to " + trial.path("count").asLong(0)
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

    private void confirm() {
        if (yes) {
            return;
        }
        if (!Screen.isTerminal(spec) || !isYes()) {
            throw new CliException(ExitCode.COULD_NOT_LOOK, "nothing was done; --yes goes on without asking");
        }
    }

    private boolean isYes() {
        Screen.say(spec, "Go on? [y/N]");
        try {
            String typed = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset())).readLine();
            return typed != null && typed.strip().equalsIgnoreCase("y");
        } catch (IOException e) {
            return false;
        }
    }
}
