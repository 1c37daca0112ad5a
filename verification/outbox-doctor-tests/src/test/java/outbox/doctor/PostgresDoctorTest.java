package outbox.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import outbox.jdbc.OutboxSchema;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedPostgres;

class PostgresDoctorTest extends DoctorContract {
    private static final DoctorLimits LIMITS = DoctorLimits.defaults();

    @Override
    DatabaseServer server() {
        return EmbeddedPostgres.shared();
    }

    @Override
    String alter(String column, String type, boolean nullable) {
        return "ALTER TABLE outbox_event ALTER COLUMN " + column + " TYPE " + type + ", ALTER COLUMN " + column
                + (nullable ? " DROP NOT NULL" : " SET NOT NULL");
    }

    @Override
    String dropIndex(String suffix) {
        return "DROP INDEX outbox_event_" + suffix;
    }

    @Override
    String dropPrimaryKey() {
        return "ALTER TABLE outbox_event DROP CONSTRAINT outbox_event_pkey";
    }

    @Override
    String claimIndex() {
        return "pending";
    }

    @Override
    boolean seesUncommitted() {
        return false;
    }

    @Test
    void timesWithoutZoneAreFound() throws Exception {
        Patient patient = Patient.on(server());
        patient.execute(alter("done_at", "TIMESTAMP", true));
        assertThat(only(patient.doctor().examine()).seen())
                .contains("done_at is timestamp")
                .contains("timestamptz");
    }

    @Test
    void deadTuplesAreFound() throws Exception {
        Patient patient = Patient.on(server());
        patient.execute("ALTER TABLE outbox_event SET (autovacuum_vacuum_threshold = 1000000)");
        patient.pending(200);
        patient.execute(
                "UPDATE outbox_event SET available_at = available_at + interval '1 second'",
                "UPDATE outbox_event SET available_at = available_at - interval '1 second'",
                "SELECT pg_stat_force_next_flush()");
        Doctor doctor = patient.doctor().limits(LIMITS.withDeadRows(100));
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() ->
                        assertThat(only(doctor.examine()).seen()).contains("400 dead row versions and 200 live ones"));
        patient.execute("VACUUM outbox_event");
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(codes(doctor.examine())).isEmpty());
    }

    @Test
    void autovacuumThatIsOffForTheTableIsFound() throws Exception {
        Patient patient = Patient.on(server());
        patient.execute("ALTER TABLE outbox_event SET (autovacuum_enabled = false)");
        Finding finding = only(patient.doctor().examine());
        assertThat(finding.code()).isEqualTo("autovacuum-off");
        patient.execute(finding.sql());
        assertThat(codes(patient.doctor().examine())).isEmpty();
    }

    @Test
    void anUnloggedTableAndCommitsThatDoNotWaitAreFound() throws Exception {
        Patient patient = Patient.on(server());
        patient.execute(
                "ALTER TABLE outbox_event SET UNLOGGED",
                "ALTER DATABASE " + patient.database().name() + " SET synchronous_commit = off");
        Diagnosis diagnosis = patient.doctor().examine();
        assertThat(codes(diagnosis)).containsExactly("not-durable", "not-durable");
        assertThat(diagnosis.findings().get(0).seen()).contains("unlogged");
        assertThat(diagnosis.findings().get(1).seen()).contains("synchronous_commit is off");
    }

    @Test
    void theOldestOpenTransactionIsFound() throws Exception {
        Patient patient = Patient.on(server());
        try (Connection forgotten = patient.dataSource().getConnection();
                Statement statement = forgotten.createStatement()) {
            forgotten.setAutoCommit(false);
            statement.executeQuery("SELECT 1 FROM outbox_event").close();
            assertThat(codes(patient.doctor().examine())).isEmpty();
            Doctor doctor = patient.doctor().limits(LIMITS.withOpenTransaction(Duration.ofMillis(1)));
            Finding finding = only(doctor.examine());
            assertThat(finding.code()).isEqualTo("open-transaction");
            assertThat(finding.seen()).contains("idle in transaction");
            patient.execute(finding.sql());
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(codes(doctor.examine())).isEmpty());
        }
    }

    @Test
    void anIndexThatNobodyReadsIsFound() throws Exception {
        Patient patient = Patient.on(server());
        patient.execute("CREATE INDEX by_tenant ON outbox_event (tenant_id)");
        Doctor doctor = patient.doctor().limits(LIMITS.withUnusedIndexRows(100));
        assertThat(codes(doctor.examine())).as("an empty table proves nothing").isEmpty();
        patient.pending(100);
        Finding finding = only(doctor.examine());
        assertThat(finding.code()).isEqualTo("index-unused");
        assertThat(finding.seen()).contains("by_tenant");
        patient.execute(finding.sql());
        assertThat(codes(doctor.examine())).isEmpty();
    }

    @Test
    void anIndexWhoseBuildFailedIsFound() throws Exception {
        Patient patient = Patient.on(server());
        patient.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'outbox_event_pending'::regclass");
        Finding finding = only(patient.doctor().examine());
        assertThat(finding.code()).isEqualTo("index-invalid");
        patient.execute(finding.sql().lines().toArray(String[]::new));
        assertThat(codes(patient.doctor().examine())).isEmpty();
    }

    @Test
    void idsThatAreComparedByTheRulesOfALanguageAreFound() throws Exception {
        Patient patient = Patient.on(server());
        patient.execute("ALTER TABLE outbox_event ALTER COLUMN event_id TYPE VARCHAR(36) COLLATE \"ucs_basic\"");
        Finding finding = only(patient.doctor().examine());
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
        patient.execute(finding.sql());
        assertThat(codes(patient.doctor().examine())).isEmpty();
    }

    @Test
    void aUserWhoMayOnlyReadTheTableGetsADiagnosisAndChangesNothing() throws Exception {
        Patient patient = Patient.on(server());
        String role = "reader_" + patient.database().name();
        patient.execute("CREATE ROLE " + role + " LOGIN", "GRANT SELECT ON outbox_event TO " + role);
        String url = patient.database().jdbcUrl()
                + (patient.database().jdbcUrl().contains("?") ? "&" : "?")
                + "options=-c%20default_transaction_read_only=on";
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(
                        () -> { // until the session that made the role has ended
                            Diagnosis alone = Doctor.of(new UrlDataSource(url, role))
                                    .sampleTime(Duration.ZERO)
                                    .examine();
                            assertThat(alone.findings()).as(alone.toText()).isEmpty();
                            assertThat(alone.unseen()).as(alone.toText()).isEmpty();
                        });

        try (Connection ofAnotherUser = patient.dataSource().getConnection()) {
            ofAnotherUser.setAutoCommit(false);
            ofAnotherUser.createStatement().execute("SELECT 1");
            Diagnosis diagnosis = Doctor.of(new UrlDataSource(url, role))
                    .sampleTime(Duration.ZERO)
                    .examine();
            assertThat(diagnosis.unseen())
                    .singleElement()
                    .satisfies(unseen -> assertThat(unseen.why()).contains("GRANT pg_monitor TO " + role));
        }
        patient.execute("REVOKE SELECT ON outbox_event FROM " + role);
        assertThatThrownBy(() -> Doctor.of(new UrlDataSource(url, role)).examine())
                .isInstanceOf(CheckFailedException.class)
                .hasMessageContaining("permission denied for table outbox_event");
    }

    @Test
    void aTableInAnotherSchemaAndInPartitionsIsExamined() throws Exception {
        Patient patient = Patient.empty(server());
        patient.execute("CREATE SCHEMA shop");
        patient.execute(OutboxSchema.of("postgresql-partitioned", "shop.order_event")
                .statements()
                .toArray(String[]::new));
        patient.execute("INSERT INTO shop.order_event (event_id, event_type, payload, status, available_at, created_at)"
                + " VALUES ('1', 'A', '{}', 1, now(), now())");
        Diagnosis diagnosis = patient.doctor().table("shop.order_event").examine();
        assertThat(diagnosis.findings()).as(diagnosis.toText()).isEmpty();
        patient.execute("DROP INDEX shop.order_event_pending");
        Finding finding = only(patient.doctor().table("shop.order_event").examine());
        assertThat(finding.code()).isEqualTo("index-missing");
        patient.execute(finding.sql());
        assertThat(codes(patient.doctor().table("shop.order_event").examine())).isEmpty();
    }

    private record UrlDataSource(String url, String user) implements SimpleDataSource {
        @Override
        public Connection getConnection() throws java.sql.SQLException {
            return DriverManager.getConnection(url, user, "");
        }
    }
}
