package outbox.jdbc.online;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.util.List;
import java.util.function.Supplier;
import outbox.jdbc.TestTable;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.testing.server.DatabaseServer;

/** A new table takes the place of the old one. */
abstract class InnoDbOnlineOrderContract extends OnlineOrderContract {
    InnoDbOnlineOrderContract(Supplier<DatabaseServer> server, AbstractJdbcOutboxStore store) {
        super(server, store);
    }

    @Override
    void fill(TestTable table) throws Exception {
        delivered(table, 5_000);
        backlog(table, 12_000);
    }

    @Override
    void migrate(TestTable table, Runnable stopNode) throws Exception {
        List<String> statements = shipped();
        int copy = first(statements, "INSERT");
        try (Connection conn = table.dataSource().getConnection()) {
            for (int i = 0; i < statements.size(); i++) {
                if (i == first(statements, "SET SESSION TRANSACTION")) {
                    stopNode.run();
                }
                int commits = run(conn, statements.get(i));
                if (i == copy) {
                    assertThat(commits).as("writes while the backlog is copied").isGreaterThan(10);
                }
            }
        }
    }
}
