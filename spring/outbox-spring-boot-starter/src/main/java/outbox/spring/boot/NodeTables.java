package outbox.spring.boot;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import outbox.control.db.Flavor;
import outbox.control.db.Tables;
import outbox.spring.boot.properties.SchemaProperties.SchemaMode;

/** Whether the tables of attempts and heartbeats are there, or may be made. */
final class NodeTables {
    private static final Logger LOG = System.getLogger(NodeTables.class.getName());

    private NodeTables() {}

    static boolean areUsable(DataSource dataSource, SchemaMode mode, String what) {
        if (mode == SchemaMode.ALWAYS
                || (mode == SchemaMode.EMBEDDED && EmbeddedDatabaseConnection.isEmbedded(dataSource))) {
            return true;
        }
        try (Connection conn = dataSource.getConnection()) {
            if (Tables.exists(conn, Flavor.detect(dataSource), "outbox_node_result")) {
                return true;
            }
            LOG.log(
                    Level.INFO,
                    what + ": the tables of outbox/control/schema/node.sql are not there, and outbox.schema.mode="
                            + mode + " does not make them");
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.WARNING, what + ": " + e.getMessage());
        }
        return false;
    }
}
