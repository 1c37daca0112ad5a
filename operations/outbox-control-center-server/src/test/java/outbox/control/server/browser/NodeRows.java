package outbox.control.server.browser;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;
import outbox.util.Ulid;

/** Nodes as their heartbeats leave them, and what operators asked of them. */
final class NodeRows {
    private final DataSource dataSource;

    NodeRows(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    void node(String name, String version, int silentSeconds) throws SQLException {
        run(
                "INSERT INTO outbox_node (node, version, started_at, seen_at, clock_offset_millis, delivered, failed, dead,"
                        + " attempts_lost, in_flight, hot_depth, cold_depth) VALUES (?, ?, now() - INTERVAL '3 hours',"
                        + " now() - ? * INTERVAL '1 second', 12, 48210, 31, 20, 0, 4, 2, 0)",
                name,
                version,
                silentSeconds);
    }

    void alive(String name, int delivered) throws SQLException {
        run("UPDATE outbox_node SET seen_at = now(), delivered = delivered + ? WHERE node = ?", delivered, name);
    }

    void handler(String node, String name, String kind, String detail, int breaker, int failed, String actions)
            throws SQLException {
        run(
                "INSERT INTO outbox_node_handler (node, handler, kind, detail, paused, disabled, breaker, running, waiting,"
                        + " delivered, failed, actions) VALUES (?, ?, ?, ?, 0, 0, ?, 1, 0, 24105, ?, ?)",
                node,
                name,
                kind,
                detail,
                breaker,
                failed,
                actions);
    }

    void paused(String handler, String reason, String by) throws SQLException {
        run(
                "INSERT INTO outbox_handler_switch (handler, paused, reason, changed_by, changed_at)"
                        + " VALUES (?, 1, ?, ?, now())",
                handler,
                reason,
                by);
    }

    void command(String action, String target, String by, String node, String outcome) throws SQLException {
        String id = Ulid.next();
        run(
                "INSERT INTO outbox_node_command (id, action, target, everywhere, created_by, created_at, taken_by)"
                        + " VALUES (?, ?, ?, 0, ?, now(), ?)",
                id,
                action,
                target,
                by,
                node);
        run(
                "INSERT INTO outbox_node_result (command_id, node, done_at, outcome) VALUES (?, ?, now(), ?)",
                id,
                node,
                outcome);
    }

    private void run(String sql, Object... values) throws SQLException {
        try (Connection conn = dataSource.getConnection();
                PreparedStatement statement = conn.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            statement.executeUpdate();
        }
    }
}
