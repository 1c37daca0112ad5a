package outbox.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import outbox.doctor.CouldNotLookException;
import outbox.doctor.Diagnosis;
import outbox.doctor.Doctor;
import outbox.doctor.Severity;
import outbox.jdbc.OutboxSchema;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The table: as it should be, and whether it is so. */
@Command(
        name = "schema",
        description = "Prints the DDL of the outbox table, or compares a table with it.",
        subcommands = {SchemaCommand.Print.class, SchemaCommand.Validate.class})
final class SchemaCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "which? print or validate");
    }

    /** Databases with a shipped schema. */
    enum Database {
        h2,
        postgresql,
        mysql,
        mariadb
    }

    /** {@code outbox schema print}. */
    @Command(
            name = "print",
            description = "Prints the DDL, to be run by hand or put into a migration.",
            footerHeading = "%nExample:%n",
            footer = "  outbox schema print --db postgresql | psql shop")
    static final class Print implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init")
        private CommandSpec spec;

        @Option(
                names = "--db",
                required = true,
                paramLabel = "DATABASE",
                description = "one of ${COMPLETION-CANDIDATES}")
        private @Nullable Database database;

        @Option(
                names = "--table",
                paramLabel = "NAME",
                defaultValue = "outbox_event",
                description = "the table's name, or schema.table; default: ${DEFAULT-VALUE}")
        private String table = "outbox_event";

        @Option(names = "--partitioned", description = "cut into days; not for h2")
        private boolean partitioned;

        @Option(names = "--ordered", description = "with what ordered delivery needs on top")
        private boolean ordered;

        @Option(
                names = "--only-ordered",
                description = "only what ordered delivery needs on top, for a table that is there already")
        private boolean onlyOrdered;

        @Override
        public Integer call() {
            try {
                if (!onlyOrdered) {
                    String variant = database + (partitioned ? "-partitioned" : "");
                    Screen.out(spec).print(OutboxSchema.of(variant, table).ddl());
                }
                if (ordered && !onlyOrdered) {
                    Screen.out(spec).println();
                }
                if (ordered || onlyOrdered) {
                    Screen.out(spec)
                            .print(OutboxSchema.of(database + "-ordered", table).ddl());
                }
            } catch (IllegalArgumentException e) {
                throw new CliException(ExitCode.COULD_NOT_LOOK, String.valueOf(e.getMessage()));
            }
            Screen.out(spec).flush();
            return ExitCode.OK;
        }
    }

    /** {@code outbox schema validate}. */
    @Command(
            name = "validate",
            description = {
                "Says which columns and indexes of a table are missing or differ from the shipped schema.",
                "Columns of your own, wider columns and indexes of other names that serve as well are fine."
            })
    static final class Validate implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init")
        private CommandSpec spec;

        @Mixin
        private DatabaseOptions database = new DatabaseOptions();

        @Mixin
        private Screen screen = new Screen();

        @Override
        public Integer call() {
            Diagnosis diagnosis;
            try {
                diagnosis =
                        Doctor.of(database.dataSource()).table(database.table()).examineSchema();
            } catch (CouldNotLookException e) {
                throw new CliException(ExitCode.COULD_NOT_LOOK, String.valueOf(e.getMessage()));
            }
            Screen.out(spec).print(screen.isJson() ? diagnosis.toJson() : Printable.text(diagnosis.toText()));
            Screen.out(spec).flush();
            return diagnosis.exitCode(Severity.INFO) == 0 ? ExitCode.OK : ExitCode.FOUND;
        }
    }
}
