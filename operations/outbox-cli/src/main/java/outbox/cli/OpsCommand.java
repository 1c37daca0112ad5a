package outbox.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code outbox ops}. */
@Command(
        name = "ops",
        description = "Starts, follows, pauses and cancels bulk operations, through the control center's API.",
        subcommands = {
            OpsStart.class,
            OpsCommand.Ls.class,
            OpsCommand.Show.class,
            OpsCommand.Follow.class,
            OpsCommand.Pause.class,
            OpsCommand.Resume.class,
            OpsCommand.Cancel.class
        })
final class OpsCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(
                spec.commandLine(), "missing subcommand: start, ls, show, follow, pause, resume or cancel");
    }

    /** Base of the subcommands. */
    abstract static class OnApi extends ApiCommand {
        /** @param operations the path of the application's operations */
        abstract int on(Api api, String operations);

        @Override
        final int call(Api api, String app) {
            return on(api, app + "/operations");
        }

        void print(JsonNode operation) {
            if (screen.isJson()) {
                screen.json(spec, operation);
            } else {
                screen.table(spec, table(operation));
            }
        }

        static TextTable table(JsonNode... operations) {
            TextTable table =
                    new TextTable("ID", "STARTED", "ACTION", "STATE", "EVENTS", "OK", "REFUSED", "BY", "REASON");
            for (JsonNode operation : operations) {
                table.add(
                        operation.path("id").asString(""),
                        EventsList.seconds(operation.path("createdAt").asString("")),
                        operation.path("action").asString(""),
                        operation.path("state").asString(""),
                        operation.path("total").asLong(0),
                        operation.path("succeeded").asLong(0),
                        operation.path("refused").asLong(0),
                        operation.path("actor").asString(""),
                        operation.path("reason").asString(""));
            }
            return table;
        }
    }

    /** {@code outbox ops ls}. */
    @Command(name = "ls", aliases = "list", description = "Lists operations, newest first.")
    static final class Ls extends OnApi {
        @Option(
                names = {"-n", "--limit"},
                paramLabel = "N",
                defaultValue = "20",
                description = "maximum number of operations; default: ${DEFAULT-VALUE}")
        private int limit = 20;

        @Override
        void checkUsage() {
            atLeastOne("--limit", limit);
        }

        @Override
        int on(Api api, String operations) {
            JsonNode page = api.get(operations, Map.of("size", Integer.toString(limit)));
            if (screen.isJson()) {
                screen.json(spec, page);
            } else if (page.path("operations").isEmpty()) {
                Screen.say(spec, "No operations.");
            } else {
                screen.table(spec, table(page.path("operations").values().toArray(JsonNode[]::new)));
            }
            return ExitCode.OK;
        }
    }

    /** Base of subcommands with an operation id. */
    abstract static class OnOne extends OnApi {
        @Parameters(paramLabel = "ID", description = "id of the operation")
        String id = "";

        String path(String operations) {
            return operations + "/" + Api.segment(id);
        }
    }

    /** {@code outbox ops show}. */
    @Command(name = "show", description = "Shows one operation and the results of its events.")
    static final class Show extends OnOne {
        @Option(
                names = "--outcome",
                paramLabel = "OUTCOME",
                description = "only events with this result: waiting, taken, ok or refused")
        private @Nullable String outcome;

        @Option(
                names = {"-n", "--limit"},
                paramLabel = "N",
                defaultValue = "20",
                description = "maximum number of events; default: ${DEFAULT-VALUE}")
        private int limit = 20;

        @Override
        void checkUsage() {
            atLeastOne("--limit", limit);
        }

        @Override
        int on(Api api, String operations) {
            ObjectNode operation = (ObjectNode) api.get(path(operations));
            Map<String, String> query = new LinkedHashMap<>();
            query.put("size", Integer.toString(limit));
            FilterOptions.put(query, "outcome", outcome);
            JsonNode items = api.get(path(operations) + "/items", query).path("items");
            if (screen.isJson()) {
                operation.set("items", items);
                screen.json(spec, operation);
                return ExitCode.OK;
            }
            print(operation);
            if (operation.hasNonNull("problem")) {
                Screen.out(spec)
                        .println("Problem: "
                                + Printable.line(operation.path("problem").asString()));
            }
            if (!items.isEmpty()) {
                Screen.out(spec).println();
                TextTable table = new TextTable("EVENT", "OUTCOME", "WHEN", "DETAIL");
                items.forEach(item -> table.add(
                        item.path("eventId").asString(""),
                        item.path("outcome").asString(""),
                        EventsList.seconds(item.path("at").asString("")),
                        item.path("detail").asString("")));
                screen.table(spec, table);
            }
            return ExitCode.OK;
        }
    }

    /** {@code outbox ops follow}. */
    @Command(
            name = "follow",
            description = "Follows an operation until it ends; exits with code 1 if events were refused.")
    static final class Follow extends OnOne {
        @Override
        int on(Api api, String operations) {
            JsonNode end = new Progress(spec).follow(() -> api.get(path(operations)));
            print(end);
            return Progress.exitCode(end);
        }
    }

    /** {@code outbox ops pause}. */
    @Command(name = "pause", description = "Pauses an operation; continue it with resume.")
    static final class Pause extends OnOne {
        @Override
        int on(Api api, String operations) {
            print(api.post(path(operations) + "/pause", Map.of()));
            return ExitCode.OK;
        }
    }

    /** {@code outbox ops resume}. */
    @Command(name = "resume", description = "Resumes a paused or failed operation.")
    static final class Resume extends OnOne {
        @Override
        int on(Api api, String operations) {
            print(api.post(path(operations) + "/resume", Map.of()));
            return ExitCode.OK;
        }
    }

    /** {@code outbox ops cancel}. */
    @Command(name = "cancel", description = "Cancels an operation; completed actions are not undone.")
    static final class Cancel extends OnOne {
        @Override
        int on(Api api, String operations) {
            print(api.post(path(operations) + "/cancel", Map.of()));
            return ExitCode.OK;
        }
    }
}
