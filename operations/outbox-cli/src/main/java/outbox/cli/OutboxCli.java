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
        description = "Inspects and operates outboxes, through the control center's API or directly on a database.",
        footerHeading = "%nExit codes:%n",
        footer = {
            "  0  success, no findings",
            "  1  findings, schema differences, a broken audit log, or events that could not be acted on",
            "  2  wrong usage, or server or database unreachable",
            "  3  API token missing, wrong or expired",
            "  4  permission denied",
            "  5  event, handler, application or operation not found",
            "  6  the server refused the request or failed"
        },
        subcommands = {
            EventsCommand.class,
            OpsCommand.class,
            HandlersCommand.class,
            NodesCommand.class,
            ErrorsCommand.class,
            FailuresCommand.class,
            AuditCommand.class,
            DoctorCommand.class,
            SchemaCommand.class,
            CompletionCommand.class,
            CommandLine.HelpCommand.class
        })
final class OutboxCli implements Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    public static void main(String[] args) {
        Logger.getLogger("").setLevel(Level.SEVERE); // drivers log too much
        System.exit(run(
                args,
                new PrintWriter(System.out, true, StandardCharsets.UTF_8),
                new PrintWriter(System.err, true, StandardCharsets.UTF_8)));
    }

    static CommandLine commandLine() {
        return new CommandLine(new OutboxCli()).setCaseInsensitiveEnumValuesAllowed(true);
    }

    /** @return the exit code */
    static int run(String[] args, PrintWriter out, PrintWriter err) {
        return commandLine()
                .setOut(out)
                .setErr(err)
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
        return ExitCode.CANNOT_RUN;
    }

    private static int failed(Exception e, CommandLine command, ParseResult parsed) {
        boolean isSaid = e.getMessage() != null && (e instanceof CliException || e instanceof IllegalArgumentException);
        String message = isSaid ? String.valueOf(e.getMessage()) : e.toString();
        command.getErr().println("outbox: " + DatabaseOptions.withoutPasswords(message));
        command.getErr().flush();
        return e instanceof CliException known ? known.exitCode() : ExitCode.CANNOT_RUN;
    }

    /** Without a subcommand: prints the usage. */
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
