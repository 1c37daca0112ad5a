package outbox.control.act;

import java.sql.Connection;
import java.sql.SQLException;
import outbox.control.source.Application;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;
import outbox.spi.UnitOfWork;

/** Does them, each in a transaction of its own. Stateless, thread-safe. */
public final class EventActions {
    private static final String NOBODY_DELIVERS_IT = " WHERE event_id = ? AND (status IN (1, 3) OR locked_by IS NULL)";

    private EventActions() {}

    /** @return whether the event was in a state for it; if not, nothing changed */
    public static boolean perform(Application application, EventAction action, String eventId) throws SQLException {
        return UnitOfWork.run(
                application.dataSource()::getConnection, conn -> perform(conn, application, action, eventId) > 0);
    }

    private static int perform(Connection conn, Application application, EventAction action, String eventId)
            throws SQLException {
        return switch (action) {
            case RETRY -> retry(conn, application, eventId);
            case SKIP -> application.store().skip(conn, eventId);
            case PARK -> application.store().park(conn, eventId);
            case DELETE ->
                new Sql(application.flavor(), "DELETE FROM " + application.table() + NOBODY_DELIVERS_IT, eventId)
                        .update(conn);
        };
    }

    private static int retry(Connection conn, Application application, String eventId) throws SQLException {
        int changed = application.store().replayDead(conn, eventId);
        if (changed == 0) {
            Flavor flavor = application.flavor();
            changed = new Sql(
                            flavor,
                            "UPDATE " + application.table()
                                    + " SET available_at = ? WHERE event_id = ? AND status = 2 AND locked_by IS NULL",
                            flavor.clock(conn),
                            eventId)
                    .update(conn);
        }
        if (changed > 0) {
            application.progress().retryNow(conn, eventId);
        }
        return changed;
    }
}
