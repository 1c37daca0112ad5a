package outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import outbox.spi.ConnectionProvider;
import outbox.spi.Election;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

class PostgresElectionIT extends ElectionContract {
    PostgresElectionIT() {
        super(EmbeddedPostgres::shared, new PostgresOutboxStore());
    }

    @Test
    void tenantsWithASchemaEachAreApartAndOneTableIsOneWhateverTheSearchPath() throws SQLException {
        TestDatabase database = EmbeddedPostgres.shared().freshDatabase();
        try (Connection conn = database.dataSource().getConnection();
                Statement statement = conn.createStatement()) {
            for (String schema : List.of("acme", "globex", "acme_work")) {
                statement.execute("CREATE SCHEMA " + schema);
            }
            statement.execute("CREATE TABLE acme.outbox_event (n INT)");
            statement.execute("CREATE TABLE globex.outbox_event (n INT)");
        }
        Election election = new PostgresOutboxStore().election();
        Optional<List<Boolean>> elected = election.run(
                finding(database, "acme"),
                "duty",
                conn -> List.of(
                        election.run(finding(database, "globex"), "duty", c -> "yes")
                                .isPresent(),
                        election.run(finding(database, "acme_work, acme"), "duty", c -> "no")
                                .isPresent()));
        assertThat(elected.orElseThrow()).containsExactly(true, false);
        database.drop();
    }

    private static ConnectionProvider finding(TestDatabase database, String searchPath) {
        return () -> {
            Connection conn = database.dataSource().getConnection();
            try (Statement statement = conn.createStatement()) {
                statement.execute("SET search_path = " + searchPath);
            }
            return conn;
        };
    }
}
