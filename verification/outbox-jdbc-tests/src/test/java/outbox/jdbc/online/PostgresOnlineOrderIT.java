package outbox.jdbc.online;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.util.List;
import outbox.jdbc.TestTable;
import outbox.jdbc.store.PostgresOutboxStore;
import outbox.testing.server.EmbeddedPostgres;

class PostgresOnlineOrderIT extends OnlineOrderContract {
    private static final int ROWS = 40_000;

    PostgresOnlineOrderIT() {
        super(EmbeddedPostgres::shared, new PostgresOutboxStore());
    }

    @Override
    void fill(TestTable table) throws Exception {
        delivered(table, ROWS);
        backlog(table, 2_000);
    }

    /** The node delivers until the end. */
    @Override
    void migrate(TestTable table, Runnable stopNode) throws Exception {
        List<String> statements = shipped();
        int numbering = first(statements, "DO");
        try (Connection conn = table.dataSource().getConnection()) {
            for (int i = 0; i < statements.size(); i++) {
                int commits = run(conn, statements.get(i));
                if (i == numbering) {
                    assertThat(commits)
                            .as("writes while rows get their numbers")
                            .isGreaterThan(10);
                }
            }
        }
        stopNode.run();
    }
}
