package outbox.jdbc.engine;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.h2.api.Trigger;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedH2;

class H2RefusedOutcomeIT extends RefusedOutcomeContract {
    @Override
    DatabaseServer server() {
        return EmbeddedH2.shared();
    }

    @Override
    List<String> refuse(Change change) {
        return List.of("CREATE TRIGGER " + change + " BEFORE " + (change == Change.DELETE ? "DELETE" : "UPDATE")
                + " ON outbox_event FOR EACH ROW CALL '" + Refusal.class.getName() + "'");
    }

    /** Refuses the change it is named after. */
    public static final class Refusal implements Trigger {
        private Change change;
        private final List<String> columns = new ArrayList<>();

        @Override
        public void init(Connection conn, String schema, String name, String table, boolean before, int type)
                throws SQLException {
            change = Change.valueOf(name.toUpperCase(Locale.ROOT));
            try (ResultSet column = conn.getMetaData().getColumns(null, schema, table, null)) {
                while (column.next()) {
                    columns.add(column.getString("COLUMN_NAME").toLowerCase(Locale.ROOT));
                }
            }
        }

        @Override
        public void fire(Connection conn, Object[] before, Object[] after) throws SQLException {
            boolean refused = before[columns.indexOf("event_type")].equals("Bad")
                    && switch (change) {
                        case DONE -> ((Number) after[columns.indexOf("status")]).intValue() == 1;
                        case DELETE -> true;
                        case EVERY_OUTCOME -> after[columns.indexOf("locked_by")] == null;
                    };
            if (refused) {
                throw new SQLException("not this one", "45000");
            }
        }
    }

    @Override
    List<String> narrowAlphabet() {
        return List.of(
                "ALTER TABLE outbox_event ADD CHECK (last_error IS NULL OR REGEXP_LIKE(last_error, '^[\\x00-\\x7f]*$'))");
    }

    @Override
    List<String> shortErrors() {
        return List.of("ALTER TABLE outbox_event ALTER COLUMN last_error SET DATA TYPE VARCHAR(200)");
    }
}
