package outbox.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** {@code outbox audit}. */
@Command(
        name = "audit",
        description = "Verifies the audit log of the control center.",
        subcommands = AuditCommand.Verify.class)
final class AuditCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "missing subcommand: verify");
    }

    /** {@code outbox audit verify}. */
    @Command(
            name = "verify",
            description = {
                "Checks that no entry of the audit log was changed or removed.",
                "Requires a token with the role admin for all applications. Exits with code 1 if there are problems."
            })
    static final class Verify implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init")
        private CommandSpec spec;

        @Mixin
        private ServerOptions server = new ServerOptions();

        @Mixin
        private Screen screen = new Screen();

        @Override
        public Integer call() {
            JsonNode report = server.api().get("/audit/verify");
            boolean intact = report.path("intact").asBoolean(false);
            if (screen.isJson()) {
                screen.json(spec, report);
            } else {
                Screen.out(spec)
                        .println(report.path("entries").asLong(0) + " entries, " + (intact ? "intact" : "not intact:"));
                report.path("problems")
                        .forEach(problem -> Screen.out(spec).println("  " + Printable.line(problem.asString())));
            }
            Screen.out(spec).flush();
            return intact ? ExitCode.OK : ExitCode.FOUND;
        }
    }
}
