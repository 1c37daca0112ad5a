package outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
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
                "events retry",
                "ops start",
                "ops ls",
                "ops show",
                "ops follow",
                "ops pause",
                "ops resume",
                "ops cancel",
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
        assertThat(run.err()).contains("need --url");
    }

    @Test
    void theServerIsWhereTheControlCenterListensUnlessToldOtherwise() {
        assertThat(Run.of("events", "ls", "--help").out()).contains("port 8090");
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
    @ValueSource(strings = {"events", "ops", "schema"})
    void aGroupAloneAsksWhich(String group) {
        Run run = Run.of(group);
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("which?");
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
        assertThat(run.err()).contains("without encryption").contains("--allow-http");
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
        "jdbc:postgresql://localhost:1/shop?user=u&password=hunter2, 0, cannot look at table outbox_event",
        "jdbc:nosuch://localhost/shop?password=hunter2, 0, cannot look at table outbox_event",
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
