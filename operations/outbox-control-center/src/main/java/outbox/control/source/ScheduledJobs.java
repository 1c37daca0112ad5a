package outbox.control.source;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The jobs of one application at a scheduler. Implementations are thread-safe. */
public interface ScheduledJobs {
    /**
     * @param id as the scheduler names it
     * @param schedule such as {@code FIX_RATE 30}
     * @param started whether the scheduler runs it at its times
     */
    record Job(
            String id,
            String handler,
            String description,
            String author,
            String schedule,
            boolean started,
            @Nullable Instant lastRun,
            @Nullable Instant nextRun) {}

    /** What an operator can do with a job. */
    enum Act {
        START,
        STOP,
        /** Run it once, now. */
        TRIGGER
    }

    /** The scheduler cannot be reached, or it refused. Users see the message. */
    final class UnavailableException extends RuntimeException {
        public UnavailableException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** @throws UnavailableException if the scheduler does not answer */
    List<Job> list();

    /** @throws UnavailableException if the scheduler does not answer */
    void perform(Act act, Job job);
}
