package outbox.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The program. */
@Command(
        name = "outbox",
        versionProvider = OutboxCli.Version.class,
        mixinStandardHelpOptions = true,
        scope = CommandLine.ScopeType.INHERIT,
        synopsisSubcommandLabel = "COMMAND",
        usageHelpAutoWidth = true,
        description = "Looks at outboxes and acts on them: over the control center's API, or on a database.",
        footerHeading = "%nExit codes:%n",
        footer = {
            "  0  all is well",
            "  1  findings, a schema that differs, or events that could not be acted on",
            "  2  wrong usage, or server or database could not be reached",
            "  3  no API token, a wrong one or an expired one",
            "  4  the token may not do this",
            "  5  there is no such event, application or operation",
            "  6  the server refused for another reason, or failed"
        },
        subcommands = {
            EventsCommand.class,
            OpsCommand.class,
            DoctorCommand.class,
            SchemaCommand.class,
            CommandLine.HelpCommand.class
        })
final class OutboxCli implements Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    public static void main(String[] args) {
        Logger.getLogger("").setLevel(Level.SEVERE); // drivers talk too much
        System.exit(run(
                args,
                new PrintWriter(System.out, true, StandardCharsets.UTF_8),
                new PrintWriter(System.err, true, StandardCharsets.UTF_8)));
    }

    /** @return the exit code */
    static int run(String[] args, PrintWriter out, PrintWriter err) {
        return new CommandLine(new OutboxCli())
                .setOut(out)
                .setErr(err)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(OutboxCli::wrongUsage)
                .setExecutionExceptionHandler(OutboxCli::failed)
                .execute(args);
    }

    private static int wrongUsage(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        PrintWriter err = command.getErr();
        err.println("outbox: " + WrongUsage.message(e, args));
        if (!CommandLine.UnmatchedArgumentException.printSuggestions(e, err)) {
            err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
        }
        err.flush();
        return ExitCode.COULD_NOT_LOOK;
    }

    private static int failed(Exception e, CommandLine command, ParseResult parsed) {
        boolean isSaid = e.getMessage() != null && (e instanceof CliException || e instanceof IllegalArgumentException);
        String message = isSaid ? String.valueOf(e.getMessage()) : e.toString();
        command.getErr().println("outbox: " + DatabaseOptions.withoutPasswords(message));
        command.getErr().flush();
        return e instanceof CliException known ? known.exitCode() : ExitCode.COULD_NOT_LOOK;
    }

    /** Without a command: what there is. */
    @Override
    public void run() {
        CommandSpec root = Objects.requireNonNull(spec);
        root.commandLine().usage(root.commandLine().getOut());
    }

    /** From the jar's manifest. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = OutboxCli.class.getPackage().getImplementationVersion();
            return new String[] {"outbox " + (version == null ? "(not packaged)" : version)};
        }
    }
}
