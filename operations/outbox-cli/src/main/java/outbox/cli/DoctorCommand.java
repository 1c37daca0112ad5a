package outbox.cli;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import outbox.doctor.Answer;
import outbox.doctor.CheckFailedException;
import outbox.doctor.Diagnosis;
import outbox.doctor.Doctor;
import outbox.doctor.Finding;
import outbox.doctor.Question;
import outbox.doctor.Severity;
import outbox.doctor.Unseen;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** {@code outbox doctor}. */
@Command(
        name = "doctor",
        description = {
            "Checks an outbox table and its database, and lists findings with their fixes.",
            "With --url it checks the database directly, otherwise through the control center (--server, --app)."
        })
final class DoctorCommand implements Callable<Integer> {
    private static final int DEFAULT_SAMPLE_SECONDS = 2;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private DatabaseOptions database = new DatabaseOptions();

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Mixin
    private Screen screen = new Screen();

    @Option(
            names = "--fail-on",
            paramLabel = "SEVERITY",
            defaultValue = "warning",
            description =
                    "exit with code 1 at this severity or above: info, warning or critical; default: ${DEFAULT-VALUE}")
    private Severity failOn = Severity.WARNING;

    @Option(
            names = "--lease",
            paramLabel = "SECONDS",
            description = "lease time of the nodes in seconds; default: 30. Only with --url")
    private @Nullable Integer lease;

    @Option(
            names = "--sample",
            paramLabel = "SECONDS",
            description = "seconds between the two samples of the backlog; default: 2. Only with --url")
    private @Nullable Integer sample;

    @Option(
            names = "--consumption-table",
            paramLabel = "NAME",
            description = "table of handler progress; default: outbox_consumption. Only with --url")
    private @Nullable String consumptionTable;

    @Option(
            names = "--append-only",
            description = "events are delivered by CDC, so pending rows are no backlog. Only with --url")
    private boolean appendOnly;

    @Override
    public Integer call() {
        if (!database.isGiven() && (lease != null || sample != null || consumptionTable != null || appendOnly)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--lease, --sample, --consumption-table and --append-only require --url: a control center uses the"
                            + " configuration of its applications");
        }
        Diagnosis diagnosis = database.isGiven() ? look() : ask();
        Screen.out(spec).print(screen.isJson() ? diagnosis.toJson() : Printable.text(diagnosis.toText()));
        Screen.out(spec).flush();
        return diagnosis.exitCode(failOn) == 0 ? ExitCode.OK : ExitCode.FOUND;
    }

    private Diagnosis look() {
        Doctor doctor = Doctor.of(database.dataSource())
                .table(database.table())
                .sampleTime(Duration.ofSeconds(sample == null ? DEFAULT_SAMPLE_SECONDS : sample));
        if (lease != null) {
            doctor.leaseTime(Duration.ofSeconds(lease));
        }
        if (consumptionTable != null) {
            doctor.consumptionTable(consumptionTable);
        }
        if (appendOnly) {
            doctor.appendOnly();
        }
        try {
            return doctor.examine();
        } catch (CheckFailedException e) {
            throw new CliException(ExitCode.CANNOT_RUN, String.valueOf(e.getMessage()));
        }
    }

    private Diagnosis ask() {
        Api api = server.api();
        JsonNode json = api.get("/apps/" + Api.segment(server.app(api)) + "/doctor");
        List<Answer> answers = new ArrayList<>();
        json.path("answers")
                .forEach(answer -> answers.add(new Answer(
                        Question.valueOf(answer.path("question").asString()),
                        Answer.Verdict.valueOf(answer.path("verdict").asString()),
                        answer.path("evidence").asString())));
        List<Finding> findings = new ArrayList<>();
        json.path("findings")
                .forEach(finding -> findings.add(new Finding(
                        finding.path("code").asString(),
                        Severity.parse(finding.path("severity").asString()),
                        finding.path("seen").asString(),
                        finding.path("why").asString(),
                        finding.path("fix").asString(),
                        finding.path("sql").asStringOpt().orElse(null))));
        List<Unseen> unseen = new ArrayList<>();
        json.path("unseen")
                .forEach(what -> unseen.add(new Unseen(
                        what.path("what").asString(), what.path("why").asString())));
        return new Diagnosis(
                Instant.parse(json.path("examinedAt").asString()),
                json.path("database").asString(),
                json.path("version").asString(),
                json.path("table").asString(),
                answers,
                findings,
                unseen);
    }
}
