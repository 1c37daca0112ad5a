package outbox.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import outbox.doctor.Answer.Verdict;
import outbox.jdbc.OutboxSchema;

abstract class MySqlFamilyDoctorContract extends DoctorContract {
    static final DoctorLimits LIMITS = DoctorLimits.defaults();

    /** {@code ALTER TABLE outbox_event …} so that queries do not use the index. */
    abstract String switchOff(String index);

    @Override
    String alter(String column, String type, boolean nullable) {
        return "ALTER TABLE outbox_event MODIFY " + column + " " + type + (nullable ? " NULL" : " NOT NULL");
    }

    @Override
    String dropIndex(String suffix) {
        return "DROP INDEX outbox_event_" + suffix + " ON outbox_event";
    }

    @Override
    String dropPrimaryKey() {
        return "ALTER TABLE outbox_event DROP PRIMARY KEY";
    }

    @Override
    String claimIndex() {
        return "due";
    }

    @Test
    void aTableInPartitionsIsHealthyWithoutAnIndexOfDeliveredRows() throws Exception {
        Patient patient = Patient.empty(server());
        patient.execute(OutboxSchema.of(server().name() + "-partitioned", "outbox_event")
                .statements()
                .toArray(String[]::new));
        String id = patient.pending();
        patient.execute("UPDATE outbox_event SET status = 1, done_at = created_at WHERE event_id = '" + id + "'");
        assertThat(codes(patient.doctor().examine())).isEmpty();
    }

    @Test
    void timesWithoutFractionAreFound() throws Exception {
        Patient patient = Patient.on(server());
        patient.execute(alter("locked_at", "DATETIME", true));
        assertThat(only(patient.doctor().examine()).seen())
                .contains("locked_at is datetime(0)")
                .contains("datetime(6)");
    }

    @Test
    void anEngineWithoutTransactionsIsFound() throws Exception {
        Patient patient = Patient.on(server());
        patient.execute("ALTER TABLE outbox_event ENGINE = MyISAM");
        Diagnosis diagnosis = patient.doctor().examine();
        assertThat(codes(diagnosis)).containsExactly("table-not-transactional");
        assertThat(diagnosis.answer(Question.SAME_TRANSACTION).verdict()).isEqualTo(Verdict.NO);
        patient.execute(only(diagnosis).sql());
        assertThat(codes(patient.doctor().examine())).isEmpty();
    }

    @Test
    void narrowCharacterSetsAndLooseCollationsAreFound() throws Exception {
        Patient patient = Patient.on(server());
        patient.execute(
                alter("event_type", "VARCHAR(128) CHARACTER SET latin1 COLLATE latin1_bin", false),
                alter("aggregate_id", "VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", true));
        Diagnosis diagnosis = patient.doctor().examine();
        assertThat(codes(diagnosis)).containsExactly("charset", "collation");
        assertThat(diagnosis.findings().get(0).seen()).contains("event_type latin1");
        assertThat(diagnosis.findings().get(1).seen()).contains("aggregate_id utf8mb4_general_ci");
        patient.execute(diagnosis.findings().get(0).sql());
        assertThat(codes(patient.doctor().examine())).isEmpty();
    }

    @Test
    void sessionsWithoutStrictModeAreFound() throws Exception {
        Patient patient = Patient.on(server());
        SimpleDataSource lax = new SimpleDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                Connection conn = patient.dataSource().getConnection();
                try (Statement statement = conn.createStatement()) {
                    statement.execute("SET SESSION sql_mode = ''");
                }
                return conn;
            }
        };
        assertThat(only(Doctor.of(lax).sampleTime(Duration.ZERO).examine()).code())
                .isEqualTo("not-strict");
    }

    @Test
    void commitsThatDoNotReachTheDiskAreFound() throws Exception {
        Patient patient = Patient.on(server());
        patient.execute("SET GLOBAL innodb_flush_log_at_trx_commit = 2");
        try {
            Finding finding = only(patient.doctor().examine());
            assertThat(finding.code()).isEqualTo("not-durable");
            patient.execute(finding.sql());
            assertThat(codes(patient.doctor().examine())).isEmpty();
        } finally {
            patient.execute("SET GLOBAL innodb_flush_log_at_trx_commit = 1");
        }
    }

    @Test
    void theOldestOpenTransactionAndTheHistoryItKeepsAreFound() throws Exception {
        Patient patient = Patient.on(server());
        String id = patient.pending();
        try (Connection forgotten = patient.dataSource().getConnection();
                Statement statement = forgotten.createStatement()) {
            statement.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT");
            for (int i = 0; i < 150; i++) {
                patient.execute("UPDATE outbox_event SET attempts = " + i + " WHERE event_id = '" + id + "'");
            }
            assertThat(codes(patient.doctor().examine())).isEmpty();
            Doctor doctor = patient.doctor()
                    .limits(LIMITS.withOpenTransaction(Duration.ofMillis(1)).withDeadRows(1));
            Diagnosis diagnosis = doctor.examine();
            assertThat(codes(diagnosis)).containsExactlyInAnyOrder("open-transaction", "dead-tuples");
            Finding finding = diagnosis.findings().stream()
                    .filter(found -> found.code().equals("open-transaction"))
                    .findFirst()
                    .orElseThrow();
            patient.execute(finding.sql());
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(codes(doctor.examine())).doesNotContain("open-transaction"));
        }
    }

    @Test
    void anIndexThatIsSwitchedOffIsFound() throws Exception {
        Patient patient = Patient.on(server());
        patient.execute(switchOff("outbox_event_due"));
        Finding finding = only(patient.doctor().examine());
        assertThat(finding.code()).isEqualTo("index-invalid");
        patient.execute(finding.sql());
        assertThat(codes(patient.doctor().examine())).isEmpty();
    }
}
