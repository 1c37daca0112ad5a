package outbox.jdbc.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.TestDatabase;

class JdbcFleetNodesTest {
    private final TestDatabase database = EmbeddedH2.shared().freshDatabase();
    private final AtomicLong nanos = new AtomicLong();
    private final JdbcFleetNodes a = node("a");
    private final JdbcFleetNodes b = node("b");

    private JdbcFleetNodes node(String name) {
        return new JdbcFleetNodes(database.dataSource()::getConnection, JdbcFleetNodes.DEFAULT_TABLE, name, nanos::get);
    }

    @BeforeEach
    void createTable() throws Exception {
        try (Connection conn = database.dataSource().getConnection()) {
            OutboxSchema.of("fleet-node", "outbox_event").apply(conn);
        }
    }

    @AfterEach
    void drop() {
        database.drop();
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void nodesKnowEachOtherWhileTheyCount() throws Exception {
        assertThat(a.live()).containsExactly("a");
        assertThat(b.live()).containsExactly("a", "b");
        assertThat(a.live()).containsExactly("a", "b");
        for (int i = 0; i < 5; i++) {
            pass(Duration.ofSeconds(10));
            assertThat(a.live()).contains("a");
            assertThat(b.live()).as("both beat").containsExactly("a", "b");
        }
        for (int i = 0; i < 3; i++) {
            pass(Duration.ofSeconds(10));
            a.live();
        }
        pass(Duration.ofSeconds(10));
        assertThat(a.live()).as("b stands still").containsExactly("a");
        b.live();
        assertThat(a.live()).as("b is back").containsExactly("a", "b");
    }

    @Test
    void theRowOfANodeThatIsLongDeadGoes() throws Exception {
        b.live();
        a.live();
        pass(Duration.ofMinutes(61));
        a.live();
        try (Connection conn = database.dataSource().getConnection()) {
            assertThat(JdbcTemplate.query(
                            conn,
                            "SELECT node_id FROM outbox_fleet_node",
                            JdbcTemplate.Binder.NOTHING,
                            row -> row.getString(1)))
                    .containsExactly("a");
        }
    }
}
