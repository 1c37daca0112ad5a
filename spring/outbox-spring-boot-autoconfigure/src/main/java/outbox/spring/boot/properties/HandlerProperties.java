package outbox.spring.boot.properties;

import java.util.ArrayList;
import java.util.List;

/** What concerns all handlers. */
public class HandlerProperties {
    /** Where to store the progress of each handler. */
    private Tracking tracking = Tracking.AUTO;

    /** What to do with events that have no handler. */
    private Unhandled unhandled = Unhandled.DEAD;

    /** Names of handlers that were removed on purpose; their unfinished progress is ignored. */
    private List<String> retired = new ArrayList<>();

    public Tracking getTracking() {
        return tracking;
    }

    public void setTracking(Tracking tracking) {
        this.tracking = tracking;
    }

    public Unhandled getUnhandled() {
        return unhandled;
    }

    public void setUnhandled(Unhandled unhandled) {
        this.unhandled = unhandled;
    }

    public List<String> getRetired() {
        return retired;
    }

    public void setRetired(List<String> retired) {
        this.retired = retired;
    }

    /** Where the progress of each handler is kept. */
    public enum Tracking {
        /** In the database if an event has several handlers, one is transactional, or the table is there; else nowhere. */
        AUTO,
        /** In the database. */
        JDBC,
        /** In Redis. */
        REDIS,
        /** In the row of the event alone: one handler for each event. */
        NONE
    }

    /** What happens to events nobody handles. */
    public enum Unhandled {
        /** They are dead, and can be replayed when somebody handles them. */
        DEAD,
        /** They are written to the log and done. */
        LOG
    }
}
