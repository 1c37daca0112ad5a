package outbox.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.doctor.CheckFailedException;
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

/** {@code outbox schema}. */
@Command(
        name = "schema",
        description = "Prints the DDL of the outbox's tables, or compares the tables with it.",
        subcommands = {SchemaCommand.Print.class, SchemaCommand.Validate.class})
final class SchemaCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "missing subcommand: print or validate");
    }

    /** {@code outbox schema print}. */
    @Command(
            name = "print",
            description = "Prints the DDL, to run it manually or use it in a migration.",
            footerHeading = "%nExample:%n",
            footer = {
                "  outbox schema print --db postgresql | psql shop",
                "  outbox schema print --db mysql --module events,leases,idempotency,node > outbox.sql"
            })
    static final class Print implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init")
        private CommandSpec spec;

        @Option(
                names = "--db",
                required = true,
                paramLabel = "DATABASE",
                description = "one of ${COMPLETION-CANDIDATES}")
        private SchemaModule.@Nullable Database database;

        @Option(
                names = "--module",
                split = ",",
                paramLabel = "MODULE",
                defaultValue = "events",
                description = "tables to print: ${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}")
        private List<SchemaModule> modules = List.of(SchemaModule.events);

        @Option(names = "--all", description = "the tables of all modules")
        private boolean all;

        @Option(
                names = "--table",
                paramLabel = "NAME",
                defaultValue = "outbox_event",
                description = "name of the event table, or schema.table; default: ${DEFAULT-VALUE}")
        private String table = "outbox_event";

        @Option(names = "--partitioned", description = "partitioned by day; not for h2")
        private boolean partitioned;

        @Option(names = "--ordered", description = "including the additions for ordered delivery")
        private boolean ordered;

        @Option(
                names = "--only-ordered",
                description = "only the additions for ordered delivery, for an existing table")
        private boolean onlyOrdered;

        @Override
        public Integer call() {
            try {
                Screen.out(spec).print(String.join("\n", ddl(Objects.requireNonNull(database))));
            } catch (IllegalArgumentException e) {
                throw new CliException(ExitCode.CANNOT_RUN, String.valueOf(e.getMessage()));
            }
            Screen.out(spec).flush();
            return ExitCode.OK;
        }

        private List<String> ddl(SchemaModule.Database chosen) {
            List<String> parts = new ArrayList<>();
            List<SchemaModule> wanted = all ? SchemaModule.availableOn(chosen) : modules;
            if (wanted.contains(SchemaModule.events) && !onlyOrdered) {
                parts.add(OutboxSchema.of(chosen + (partitioned ? "-partitioned" : ""), table)
                        .ddl());
            }
            if (ordered || onlyOrdered) {
                parts.add(OutboxSchema.of(chosen + "-ordered", table).ddl());
            }
            wanted.stream()
                    .filter(module -> module != SchemaModule.events && !onlyOrdered)
                    .forEach(module -> parts.add(module.schema(chosen, table).ddl()));
            return parts;
        }
    }

    /** {@code outbox schema validate}. */
    @Command(
            name = "validate",
            description = {
                "Lists tables, columns and indexes that are missing or differ from the shipped schema.",
                "Checks the event table, and the tables of every other module that has any in this database.",
                "Additional columns, wider columns, and equivalent indexes with other names are fine."
            })
    static final class Validate implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init")
        private CommandSpec spec;

        @Mixin
        private DatabaseOptions database = new DatabaseOptions();

        @Option(
                names = "--module",
                split = ",",
                paramLabel = "MODULE",
                description = "modules whose tables must exist: ${COMPLETION-CANDIDATES}")
        private List<SchemaModule> required = List.of();

        @Mixin
        private Screen screen = new Screen();

        @Override
        public Integer call() {
            Diagnosis diagnosis;
            try {
                DataSource dataSource = database.dataSource();
                Doctor doctor = Doctor.of(dataSource).table(database.table());
                SchemaModule.Database kind = SchemaModule.Database.of(database.url());
                for (SchemaModule module : SchemaModule.availableOn(kind)) {
                    if (module != SchemaModule.events) {
                        doctor.module(module.name(), module.schema(kind, database.table()), required.contains(module));
                    }
                }
                diagnosis = doctor.examineSchema();
            } catch (CheckFailedException | IllegalArgumentException e) {
                throw new CliException(ExitCode.CANNOT_RUN, String.valueOf(e.getMessage()));
            }
            Screen.out(spec).print(screen.isJson() ? diagnosis.toJson() : Printable.text(diagnosis.toText()));
            Screen.out(spec).flush();
            return diagnosis.exitCode(Severity.INFO) == 0 ? ExitCode.OK : ExitCode.FOUND;
        }
    }
}
