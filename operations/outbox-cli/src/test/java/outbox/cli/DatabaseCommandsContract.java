package outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.TestDatabase;

/** {@code doctor} and {@code schema} on a real database. */
@Timeout(120)
abstract class DatabaseCommandsContract {
    @TempDir
    Path directory;

    private TestDatabase database;

    abstract DatabaseServer server();

    abstract String dropClaimIndex();

    @BeforeEach
    void createTable() throws SQLException {
        database = server().freshDatabase();
        create(Run.of("schema", "print", "--db", server().name()).out());
    }

    private void create(String printed) throws SQLException {
        for (String statement : printed.replaceAll("(?m)^--.*$", "").split(";", -1)) {
            if (!statement.isBlank()) {
                execute(statement);
            }
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection conn = database.dataSource().getConnection();
                Statement statement = conn.createStatement()) {
            statement.execute(sql);
        }
    }

    private Run run(String... command) throws IOException {
        List<String> all = new ArrayList<>(List.of(command));
        all.addAll(List.of("--url", database.jdbcUrl(), "--user", database.username()));
        if (!database.password().isEmpty()) {
            Path file = Files.writeString(directory.resolve("password"), database.password());
            all.addAll(List.of("--password-file", file.toString()));
        }
        return Run.of(all.toArray(String[]::new));
    }

    @Test
    void thePrintedSchemaIsValid() throws Exception {
        Run run = run("schema", "validate");
        assertThat(run.code()).as(run.all()).isZero();
        assertThat(run.out()).contains("No findings.");
    }

    @Test
    void whatIsMissingIsNamed() throws Exception {
        execute("ALTER TABLE outbox_event DROP COLUMN last_error");
        execute(dropClaimIndex());
        Run text = run("schema", "validate");
        assertThat(text.code()).isEqualTo(1);
        assertThat(text.out()).contains("has no column last_error").contains("index-missing");
        Run json = run("schema", "validate", "--output", "json");
        assertThat(Screen.JSON.readTree(json.out()).path("findings")).hasSize(2);
    }

    @Test
    void theTablesOfAllModulesArePrintedAndValid() throws Exception {
        execute("DROP TABLE outbox_event");
        create(Run.of("schema", "print", "--db", server().name(), "--all").out());

        Run run = run("schema", "validate", "--module", "leases,idempotency,node,control");

        assertThat(run.code()).as(run.all()).isZero();
    }

    @Test
    void whatAModuleLacksIsNamed() throws Exception {
        create(Run.of("schema", "print", "--db", server().name(), "--module", "idempotency,node")
                .out());
        execute("DROP TABLE outbox_consumption");
        execute("ALTER TABLE outbox_node DROP COLUMN version");

        Run run = run("schema", "validate");

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out())
                .contains("there is no table outbox_consumption", "outbox schema print --module idempotency")
                .contains("table outbox_node has no column version")
                .doesNotContain("outbox_cc_", "outbox_lease");
        assertThat(run("schema", "validate", "--module", "leases").out()).contains("there is no table outbox_lease");
    }

    @Test
    void theDoctorFindsNothingOnAHealthyTable() throws Exception {
        Run run = run("doctor", "--sample", "0");
        assertThat(run.code()).as(run.all()).isZero();
        assertThat(run.out()).contains("No findings.").contains("Do consumers deduplicate?");
    }

    @Test
    void theDoctorsExitCodeGoesByTheSeverity() throws Exception {
        var store = JdbcOutboxStores.get(server().name());
        try (Connection conn = database.dataSource().getConnection()) {
            var event = outbox.EventEnvelope.ofJson("OrderPlaced", "{}");
            store.insertNew(conn, event);
            store.markDead(conn, event.eventId(), "gone");
        }
        Run run = run("doctor", "--sample", "0");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out()).contains("WARNING  dead-letters");
        assertThat(run("doctor", "--sample", "0", "--fail-on", "critical").code())
                .isZero();
        Run json = run("doctor", "--sample", "0", "-o", "json");
        assertThat(json.code()).isEqualTo(1);
        assertThat(Screen.JSON
                        .readTree(json.out())
                        .path("findings")
                        .path(0)
                        .path("code")
                        .asString())
                .isEqualTo("dead-letters");
    }

    @Test
    void theDoctorLooksAtTheTableOfProgressThatIsNamed() throws Exception {
        execute("CREATE TABLE shop_progress (handler VARCHAR(64))");
        execute("INSERT INTO shop_progress VALUES ('mailer')");
        assertThat(run("doctor", "--sample", "0").out()).contains("there is no table outbox_consumption");
        Run run = run("doctor", "--sample", "0", "--consumption-table", "shop_progress");
        assertThat(run.code()).as(run.all()).isZero();
        assertThat(run.out()).contains("handlers record processed events in shop_progress: mailer 1");
    }

    @Test
    void anotherTableIsMissing() throws Exception {
        Run run = run("doctor", "--sample", "0", "--table", "other_event");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out()).contains("there is no table other_event");
    }
}
