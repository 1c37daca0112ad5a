package outbox.control.source;

import java.sql.Connection;
import java.sql.SQLException;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;
import outbox.node.db.Tables;

/** Whether failed deliveries are recorded. Stateless, thread-safe. */
public final class AttemptTable {
    private static final String NAME = "outbox_attempt";
    private static final String NODES = "outbox_node";

    private AttemptTable() {}

    static boolean exists(Connection conn, Flavor flavor) {
        return Tables.exists(conn, flavor, NAME);
    }

    /**
     * The table alone is no proof, because it is created together with the heartbeat tables. Nodes report in their
     * heartbeat whether they record attempts; without heartbeats the existence of the table decides.
     */
    public static boolean isWritten(Connection conn, Flavor flavor) throws SQLException {
        if (!exists(conn, flavor)) {
            return false;
        }
        if (!Tables.exists(conn, flavor, NODES)) {
            return true;
        }
        Boolean written = new Sql(
                        flavor, "SELECT COUNT(*), COUNT(CASE WHEN attempts_lost >= 0 THEN 1 END) FROM " + NODES)
                .first(conn, row -> row.getInt(1) == 0 || row.getInt(2) > 0);
        return Boolean.TRUE.equals(written);
    }
}
