package outbox.doctor;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedH2;

class H2DoctorTest extends DoctorContract {
    @Override
    DatabaseServer server() {
        return EmbeddedH2.shared();
    }

    @Override
    String alter(String column, String type, boolean nullable) {
        return "ALTER TABLE outbox_event ALTER COLUMN " + column + " " + type + (nullable ? " NULL" : " NOT NULL");
    }

    @Override
    String dropIndex(String suffix) {
        return "DROP INDEX outbox_event_" + suffix;
    }

    @Override
    String dropPrimaryKey() {
        return "ALTER TABLE outbox_event DROP PRIMARY KEY";
    }

    @Override
    String claimIndex() {
        return "due";
    }
}
