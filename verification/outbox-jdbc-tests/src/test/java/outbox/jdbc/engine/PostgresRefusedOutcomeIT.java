package outbox.jdbc.engine;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

class PostgresRefusedOutcomeIT extends RefusedOutcomeContract {
    @Override
    DatabaseServer server() {
        return EmbeddedPostgres.shared();
    }

    @Override
    List<String> refuse(Change change) {
        String when = switch (change) {
            case DONE -> "BEFORE UPDATE ON outbox_event FOR EACH ROW WHEN (OLD.event_type = 'Bad' AND NEW.status = 1)";
            case DELETE -> "BEFORE DELETE ON outbox_event FOR EACH ROW WHEN (OLD.event_type = 'Bad')";
            case EVERY_OUTCOME ->
                "BEFORE UPDATE ON outbox_event FOR EACH ROW"
                        + " WHEN (OLD.event_type = 'Bad' AND NEW.locked_by IS NULL)";
        };
        return List.of(
                "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                        + " $$ BEGIN RAISE EXCEPTION 'not this one'; END $$",
                "CREATE TRIGGER refuse " + when + " EXECUTE FUNCTION refuse()");
    }

    @Override
    TestDatabase narrowDatabase() throws SQLException {
        TestDatabase wide = server().freshDatabase();
        String latin = wide.name() + "_latin";
        try (Connection conn = wide.dataSource().getConnection();
                Statement statement = conn.createStatement()) {
            statement.execute(
                    "CREATE DATABASE " + latin + " ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
        }
        wide.drop();
        return new TestDatabase(server(), latin);
    }

    @Override
    List<String> narrowAlphabet() {
        return List.of();
    }

    @Override
    List<String> shortErrors() {
        return List.of("ALTER TABLE outbox_event ALTER COLUMN last_error TYPE VARCHAR(200)");
    }
}
