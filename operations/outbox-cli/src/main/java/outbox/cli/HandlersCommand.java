package outbox.cli;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
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

/** {@code outbox handlers}. */
@Command(
        name = "handlers",
        description = "Lists, pauses and resumes handlers, through the control center's API.",
        subcommands = {HandlersCommand.Ls.class, HandlersCommand.Pause.class, HandlersCommand.Resume.class})
final class HandlersCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "missing subcommand: ls, pause or resume");
    }

    /** {@code outbox handlers ls}. */
    @Command(name = "ls", aliases = "list", description = "Lists the handlers of each node, and what operators paused.")
    static final class Ls extends ApiCommand {
        @Override
        int call(Api api, String app) {
            JsonNode answer = api.get(app + "/handlers");
            if (screen.isJson()) {
                screen.json(spec, answer);
                return ExitCode.OK;
            }
            if (answer.path("handlers").isEmpty()) {
                Screen.say(spec, "No handlers: no node sends heartbeats with them.");
            } else {
                TextTable table =
                        new TextTable("HANDLER", "NODE", "STATE", "BREAKER", "RUNNING", "DELIVERED", "FAILED");
                answer.path("handlers")
                        .forEach(handler -> table.add(
                                handler.path("name").asString(""),
                                handler.path("node").asString(""),
                                state(handler),
                                handler.path("breaker").asString(""),
                                handler.path("running").asLong(0),
                                handler.path("delivered").asLong(0),
                                handler.path("failed").asLong(0)));
                screen.table(spec, table);
            }
            Map<String, JsonNode> paused = new LinkedHashMap<>();
            answer.path("switches").forEach(one -> {
                if (one.path("paused").asBoolean(false)) {
                    paused.put(one.path("handler").asString(""), one);
                }
            });
            paused.forEach((name, one) -> Screen.say(
                    spec,
                    Printable.line(
                            name + " was paused by " + one.path("changedBy").asString("") + " at "
                                    + EventsList.seconds(one.path("changedAt").asString(""))
                                    + (one.hasNonNull("reason")
                                            ? ": " + one.path("reason").asString()
                                            : ""))));
            return ExitCode.OK;
        }

        private static String state(JsonNode handler) {
            return handler.path("disabled").asBoolean(false)
                    ? "disabled"
                    : handler.path("paused").asBoolean(false) ? "paused" : "active";
        }
    }

    /** Base of subcommands with the name of a handler. */
    abstract static class OnOne extends ApiCommand {
        @Parameters(paramLabel = "NAME", description = "name of the handler")
        private String name = "";

        @Option(
                names = {"-m", "--reason"},
                paramLabel = "TEXT",
                description = "reason, recorded in the audit log")
        private @Nullable String reason;

        void send(Api api, String app, String action, String done) {
            String segment =
                    Base64.getUrlEncoder().withoutPadding().encodeToString(name.getBytes(StandardCharsets.UTF_8));
            JsonNode answer = api.post(
                    app + "/handlers/" + segment + "/" + action, reason == null ? Map.of() : Map.of("reason", reason));
            if (screen.isJson()) {
                screen.json(spec, answer);
            } else {
                Screen.out(spec).println(Printable.line(name) + " " + done + " at the next heartbeat of each node.");
            }
        }
    }

    /** {@code outbox handlers pause}. */
    @Command(name = "pause", description = "Pauses a handler on all nodes; its events stay in the table.")
    static final class Pause extends OnOne {
        @Override
        int call(Api api, String app) {
            send(api, app, "pause", "pauses");
            return ExitCode.OK;
        }
    }

    /** {@code outbox handlers resume}. */
    @Command(name = "resume", description = "Resumes a handler that was paused.")
    static final class Resume extends OnOne {
        @Override
        int call(Api api, String app) {
            send(api, app, "resume", "resumes");
            return ExitCode.OK;
        }
    }
}
