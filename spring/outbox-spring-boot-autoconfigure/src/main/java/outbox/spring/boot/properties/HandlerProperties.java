package outbox.spring.boot.properties;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import outbox.domain.handler.HandlerOptions;

/** Settings of all handlers. */
public class HandlerProperties {
    /** Where to store the progress of each handler. */
    private Tracking tracking = Tracking.AUTO;

    /** What to do with events that have no handler. */
    private Unhandled unhandled = Unhandled.DEAD;

    /** Names of handlers that were removed on purpose; their unfinished progress is ignored. */
    private List<String> retired = new ArrayList<>();

    private final Breaker breaker = new Breaker();

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

    public Breaker getBreaker() {
        return breaker;
    }

    /** The circuit breaker of each handler and route that sets none itself. */
    public static class Breaker {
        /**
         * Number of consecutive failures after which a handler or route is not called for a while: its events wait in the
         * table and no attempts are counted. For handlers of batches it is multiplied by the batch size. 0 means never.
         * Webhook endpoints have their own.
         */
        private int failures = HandlerOptions.DEFAULT_BREAKER_FAILURES;

        /** How long to wait then before one event is tried; if it succeeds, the others follow. */
        private Duration pause = HandlerOptions.DEFAULT_BREAKER_PAUSE;

        public int getFailures() {
            return failures;
        }

        public void setFailures(int failures) {
            this.failures = failures;
        }

        public Duration getPause() {
            return pause;
        }

        public void setPause(Duration pause) {
            this.pause = pause;
        }
    }

    /** Where the progress of each handler is stored. */
    public enum Tracking {
        /**
         * In the database if an event has several handlers, one is transactional, or the table exists; otherwise not at
         * all.
         */
        AUTO,
        /** In the database. */
        JDBC,
        /** In Redis. */
        REDIS,
        /** Only in the row of the event: one handler per event type. */
        NONE
    }

    /** What happens to events without a handler. */
    public enum Unhandled {
        /** They become dead letters and can be replayed when there is a handler. */
        DEAD,
        /** They are logged and marked as done. */
        LOG
    }
}
