package outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.jdbc.OutboxSchema;

@Timeout(120)
class UsageTest {
    @TempDir
    private Path directory;

    @Test
    void withoutACommandItSaysWhatThereIs() {
        Run run = Run.of();
        assertThat(run.code()).isZero();
        assertThat(run.out()).contains("events", "ops", "doctor", "schema", "Exit codes:");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "events ls",
                "events show",
                "events tail",
                "events retry",
                "events skip",
                "events park",
                "events delete",
                "events clone",
                "handlers ls",
                "handlers pause",
                "handlers resume",
                "nodes",
                "errors",
                "audit verify",
                "completion",
                "ops start",
                "ops ls",
                "ops show",
                "ops follow",
                "ops pause",
                "ops resume",
                "ops cancel",
                "failures",
                "doctor",
                "schema print",
                "schema validate"
            })
    void everyCommandHasHelpThatShowsNoSecretsAsArguments(String command) {
        Run run = Run.of((command + " --help").split(" ", -1));
        assertThat(run.code()).isZero();
        assertThat(run.out())
                .startsWith("Usage: outbox " + command)
                .doesNotContain("--token ", "--token=", "--password ", "--password=");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--lease=5", "--sample=1", "--consumption-table=progress", "--append-only"})
    void whatTheDoctorWouldNotLookAtIsRefused(String option) {
        Run run = Run.of("doctor", option);
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("require --url");
    }

    @Test
    void theServerIsWhereTheControlCenterListensUnlessToldOtherwise() {
        assertThat(Run.of("events", "ls", "--help").out()).contains("localhost:8090");
    }

    @ParameterizedTest
    @CsvSource({"evnts, outbox events", "schema prnt, schema print", "events list-all, events list"})
    void anUnknownCommandIsSaidToBeSoWithWhatComesNear(String command, String near) {
        Run run = Run.of(command.split(" ", -1));
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err())
                .startsWith("outbox: Unmatched argument")
                .contains(near)
                .doesNotContain("Exception");
        assertThat(run.out()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"events", "ops", "schema", "handlers", "audit"})
    void aGroupAloneAsksWhich(String group) {
        Run run = Run.of(group);
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("missing subcommand");
    }

    @ParameterizedTest
    @CsvSource({
        "events ls --token hunter2, OUTBOX_TOKEN",
        "events ls --token=hunter2, OUTBOX_TOKEN",
        "schema validate --url jdbc:h2:mem:x --password hunter2, OUTBOX_DB_PASSWORD",
        "doctor --url jdbc:h2:mem:x --password=hunter2, OUTBOX_DB_PASSWORD"
    })
    void secretsAsArgumentsAreRefusedAndNotRepeated(String command, String instead) {
        Run run = Run.of(command.split(" ", -1));
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains(instead);
        assertThat(run.all()).doesNotContain("hunter2");
    }

    @ParameterizedTest
    @CsvSource({
        "events ls --tokn hunter2, --tokn",
        "events ls --tokn=hunter2, --tokn",
        "events ls --app orders --tokenhunter2, Unknown option",
        "events ls -phunter2, Unknown option",
        "events ls hunter2, Unmatched argument",
        "events ls --ask-token=hunter2, --ask-token",
        "doctor --url jdbc:h2:mem:x --ask-password=hunter2, --ask-password",
        "doctor --url jdbc:h2:mem:x --ask-password hunter2, Unmatched argument",
        "schema validate --passwrd hunter2 --url jdbc:h2:mem:x, --passwrd",
        "--token hunter2 events ls, --token",
        "--token=hunter2, --token"
    })
    void aMistypedOptionIsNamedAndItsValueIsNotRepeated(String command, String named) {
        Run run = Run.of(command.split(" ", -1));
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains(named);
        assertThat(run.all()).doesNotContain("hunter2");
    }

    @Test
    void aTokenDoesNotTravelUnencrypted() throws Exception {
        Path token = Files.writeString(directory.resolve("token"), "hunter2\n");
        Run run = Run.of(
                "events",
                "ls",
                "--server",
                "http://192.0.2.1:1/outbox",
                "--token-file",
                token.toString(),
                "--app",
                "x");
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("unencrypted").contains("--allow-http");
        assertThat(run.all()).doesNotContain("hunter2");
    }

    @Test
    void aServerThatIsNotThereIsSaidToBeSo() {
        Run run = Run.of("events", "ls", "--app", "orders", "--server", "http://127.0.0.1:1/outbox");
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("cannot connect to http://127.0.0.1:1").contains("--server");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ftp://host", "nowhere", "http:///outbox"})
    void aServerIsAUrl(String server) {
        Run run = Run.of("events", "ls", "--app", "orders", "--server", server);
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("--server must be a URL");
    }

    @ParameterizedTest
    @CsvSource({
        "events ls --order sideways, --order",
        "events ls --from lately, is not a time",
        "events ls --limit 0, --limit must be 1 or more",
        "events ls --timeout 0 --app x, --timeout must be 1 or more",
        "events ls --timeout soon, --timeout",
        "events tail --interval 0, --interval must be 1 or more",
        "events tail --lines 201, --lines must be between 0 and 200",
        "events retry, ID",
        "events clone, ID",
        "events clone x --header region, --header",
        "ops ls --limit 0, --limit must be 1 or more",
        "failures --limit 0, --limit must be 1 or more",
        "ops show x --limit -1, --limit must be 1 or more",
        "ops start, ACTION",
        "ops start retry --state dead, --reason",
        "ops start explode -m x --state dead, explode",
        "ops start retry -m x, select the events",
        "ops start retry -m x --id a --state dead, cannot be combined",
        "ops start retry -m x --state dead --rate 0, --rate must be 1 or more",
        "ops start redeliver -m x --type a, redeliver needs --handler",
        "ops start retry -m x --type a --handler crm, --handler is only for redeliver",
        "handlers pause, NAME",
        "nodes everywhere, Unmatched argument",
        "audit verify --output xml, --output",
        "doctor --fail-on sometimes, --fail-on",
        "schema print, --db"
    })
    void wrongUsageEndsWithCodeTwoAndNothingIsSent(String command, String named) {
        Run run = Run.of(command.split(" ", -1));
        assertThat(run.code()).as(run.all()).isEqualTo(2);
        assertThat(run.err()).contains(named).doesNotContain("Exception", "cannot connect");
        assertThat(run.out()).isEmpty();
    }

    @Test
    void theTabKeyKnowsCommandsOptionsAndValuesButNoSecrets() throws Exception {
        Run run = Run.of("completion");
        assertThat(run.code()).isZero();
        assertThat(run.out()).doesNotContain("'--token'", "'--password'");
        Path script = Files.writeString(directory.resolve("completion.sh"), run.out());
        assertThat(completed(script, "outbox ev")).containsExactly("events");
        assertThat(completed(script, "outbox events ")).contains("ls", "tail", "clone", "delete");
        assertThat(completed(script, "outbox events ls --st")).containsExactly("--state");
        assertThat(completed(script, "outbox events ls --state d")).containsExactlyInAnyOrder("dead", "done");
        assertThat(completed(script, "outbox ops start re")).contains("retry");
    }

    /** What bash offers after this line. */
    private static List<String> completed(Path script, String line) throws Exception {
        String[] words = line.split(" ", -1);
        String program = "source '" + script + "'; COMP_WORDS=(\"$@\"); COMP_CWORD=" + (words.length - 1)
                + "; COMP_LINE=\"$*\"; COMP_POINT=${#COMP_LINE}; _complete_outbox; printf '%s\\n' \"${COMPREPLY[@]}\"";
        List<String> command = new ArrayList<>(List.of("bash", "-c", program, "bash"));
        command.addAll(List.of(words));
        Process bash = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD) // compopt works only while bash completes
                .start();
        String out = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(bash.waitFor()).as(out).isZero();
        return out.lines().map(String::strip).filter(word -> !word.isEmpty()).toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql", "mysql", "mariadb"})
    void theSchemaIsPrintedAsItIsShipped(String database) {
        assertThat(Run.of("schema", "print", "--db", database).out())
                .isEqualTo(OutboxSchema.of(database, "outbox_event").ddl());
        assertThat(Run.of("schema", "print", "--db", database, "--ordered", "--table", "shop.events")
                        .out())
                .isEqualTo(OutboxSchema.of(database, "shop.events").ddl()
                        + System.lineSeparator()
                        + OutboxSchema.of(database + "-ordered", "shop.events").ddl());
    }

    /** A copy that nothing compares with its source would drift apart from it. */
    @ParameterizedTest
    @CsvSource({
        "idempotency, application/outbox-idempotency",
        "cdc, engine/outbox-cdc",
        "node, operations/outbox-node",
        "control, operations/outbox-control-center"
    })
    void aModuleIsPrintedAsItsMigrationsMakeIt(String module, String directory) throws IOException {
        Path migrations = Path.of("..", "..", directory, "src/main/resources/outbox", module, "migration/postgresql");
        try (Stream<Path> files = Files.list(migrations)) {
            List<String> texts = new ArrayList<>();
            for (Path file : files.sorted().toList()) {
                texts.add(Files.readString(file));
            }
            assertThat(Run.of("schema", "print", "--db", "postgresql", "--module", module)
                            .out())
                    .isEqualTo(String.join("\n", texts));
        }
    }

    @Test
    void wrongValuesAreExplained() {
        assertThat(Run.of("schema", "print", "--db", "oracle").err())
                .contains("oracle")
                .contains("postgresql");
        Run table = Run.of("schema", "print", "--db", "h2", "--table", "a b");
        assertThat(table.code()).isEqualTo(2);
        assertThat(table.err()).contains("not a table name: 'a b'");
        assertThat(Run.of("schema", "print", "--db", "h2", "--partitioned").err())
                .contains("no schema for this database");
        assertThat(Run.of("schema", "print", "--db", "mysql", "--partitioned").out())
                .contains("PARTITION BY");
        assertThat(Run.of("schema", "validate", "--url", "mysql://host").err()).contains("must begin with jdbc:");
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:postgresql://localhost:1/shop?user=u&password=hunter2, 0, cannot check table outbox_event",
        "jdbc:nosuch://localhost/shop?password=hunter2, 0, cannot check table outbox_event",
        "jdbc:h2:mem:x, -1, sampleTime must not be negative"
    })
    void whatCanNotBeExaminedIsNotHealthy(String url, String sample, String why) {
        Run run = Run.of("doctor", "--url", url, "--sample", sample);
        assertThat(run.code()).as(run.all()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains(why).doesNotContain("hunter2");
    }

    @Test
    void passwordsInUrlsAreNotRepeated() {
        assertThat(DatabaseOptions.withoutPasswords(
                        "no driver for jdbc:postgresql://host/db?user=u&password=hunter2&ssl=true"))
                .doesNotContain("hunter2")
                .contains("ssl=true");
        assertThat(DatabaseOptions.withoutPasswords("cannot open jdbc:mysql://root:hunter2@host/db"))
                .doesNotContain("hunter2");
        assertThat(DatabaseOptions.withoutPasswords("jdbc:h2:mem:x;PASSWORD=hunter2;MODE=MySQL"))
                .doesNotContain("hunter2");
    }
}
