package outbox.control.act;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import outbox.control.source.Application;
import outbox.control.source.EventSummary;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;
import outbox.spi.UnitOfWork;

/** Performs actions, each in its own transaction. Stateless, thread-safe. */
public final class EventActions {
    private static final String NOBODY_DELIVERS_IT = " WHERE event_id = ? AND (status IN (1, 3) OR locked_by IS NULL)";

    private EventActions() {}

    /** @return whether the state of the event allowed it; otherwise nothing changed */
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
            case REDELIVER -> throw new IllegalArgumentException("a redelivery needs a handler: start an operation");
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

    /**
     * Why an action was refused, as in "it cannot be retried now: it is parked".
     *
     * @param now the event; {@code null} if it is no longer in the table
     */
    public static String refusal(Application application, @Nullable EventSummary now) {
        if (now == null) {
            return "it is no longer in the table";
        }
        if (now.lockedBy() != null) {
            return "it is in flight on " + now.lockedBy();
        }
        if (now.state().isPending() && now.attempts() == 0 && application.isDeliveredFromLog()) {
            return "it is delivered by CDC, and its row does not show whether it was delivered; clone it to deliver"
                    + " it again";
        }
        return switch (now.state()) {
            case NEW -> "it is new and has not been attempted yet";
            case SCHEDULED -> "it is scheduled for " + now.availableAt();
            case HELD -> "it is held back by an open circuit breaker, a pause or a limit until " + now.availableAt();
            case RETRY -> "it waits for its next attempt";
            case DEAD -> now.parked() ? "it is parked" : "it is dead";
            case DONE -> "it is already done";
        };
    }
}
