package outbox.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMySql;

class MySqlDoctorIT extends MySqlFamilyDoctorContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMySql.shared();
    }

    @Override
    String switchOff(String index) {
        return "ALTER TABLE outbox_event ALTER INDEX " + index + " INVISIBLE";
    }

    @Test
    void anIndexThatNobodyReadsIsFound() throws Exception {
        Patient patient = Patient.on(server());
        patient.execute("CREATE INDEX by_tenant ON outbox_event (tenant_id)");
        patient.pending(100);
        Doctor doctor = patient.doctor().limits(LIMITS.withUnusedIndexRows(100));
        Finding finding = only(doctor.examine());
        assertThat(finding.code()).isEqualTo("index-unused");
        patient.execute(finding.sql());
        assertThat(codes(doctor.examine())).isEmpty();
    }
}
