package outbox.doctor;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMariaDb;

class MariaDbDoctorIT extends MySqlFamilyDoctorContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMariaDb.shared();
    }

    @Override
    String switchOff(String index) {
        return "ALTER TABLE outbox_event ALTER INDEX " + index + " IGNORED";
    }
}
