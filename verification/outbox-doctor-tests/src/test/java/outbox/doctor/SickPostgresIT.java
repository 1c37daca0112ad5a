package outbox.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.EmbeddedServer;
import outbox.testing.server.ServerOptions;

/** Faults of a whole server: it has one of its own. */
@Timeout(180)
class SickPostgresIT {
    private static EmbeddedServer server;

    @BeforeAll
    static void start() {
        server = EmbeddedPostgres.start(ServerOptions.defaults()
                .with("fsync", "off")
                .with("autovacuum", "off")
                .with("wal_level", "logical")
                .with("max_prepared_transactions", "5"));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void aServerThatDoesNotWriteToDiskOrCleanUpIsFound() throws Exception {
        Diagnosis diagnosis = Patient.on(server).doctor().examine();
        assertThat(DoctorContract.codes(diagnosis)).containsExactly("not-durable", "autovacuum-off");
        assertThat(diagnosis.findings().get(0).seen()).isEqualTo("fsync is off");
        assertThat(diagnosis.exitCode(Severity.CRITICAL)).isEqualTo(1);
    }

    @Test
    void aSlotThatNobodyReadsIsFoundAndDroppedByItsFix() throws Exception {
        Patient patient = Patient.on(server);
        patient.execute("SELECT pg_create_logical_replication_slot('forgotten', 'pgoutput')");
        patient.pending(500);
        assertThat(DoctorContract.codes(patient.doctor().examine())).doesNotContain("slot-lag");
        Doctor doctor = patient.doctor().limits(DoctorLimits.defaults().withSlotBytes(1000));
        Finding finding = doctor.examine().findings().stream()
                .filter(found -> found.code().equals("slot-lag"))
                .findFirst()
                .orElseThrow();
        assertThat(finding.severity()).isEqualTo(Severity.CRITICAL);
        assertThat(finding.seen()).contains("forgotten is inactive");
        patient.execute(finding.sql());
        assertThat(DoctorContract.codes(doctor.examine())).doesNotContain("slot-lag");
    }

    @Test
    void aPreparedTransactionThatWasForgottenIsFound() throws Exception {
        Patient patient = Patient.on(server);
        try (Connection conn = patient.dataSource().getConnection();
                Statement statement = conn.createStatement()) {
            statement.execute("BEGIN");
            statement.execute("UPDATE outbox_event SET attempts = 0");
            statement.execute("PREPARE TRANSACTION 'left behind'");
        }
        Doctor doctor = patient.doctor().limits(DoctorLimits.defaults().withOpenTransaction(Duration.ZERO));
        Finding finding = doctor.examine().findings().stream()
                .filter(found -> found.code().equals("open-transaction"))
                .findFirst()
                .orElseThrow();
        assertThat(finding.seen()).contains("left behind");
        patient.execute(finding.sql());
        assertThat(DoctorContract.codes(doctor.examine())).doesNotContain("open-transaction");
    }
}
