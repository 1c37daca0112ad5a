package outbox.xxljob.admin;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A job as the admin lists it.
 *
 * @param schedule {@code FIX_RATE 30} or {@code CRON 0 * * * * ?}
 * @param started whether the admin runs it at its times
 * @param lastRun when it ran last; {@code null} if it never did
 * @param nextRun when it runs next; {@code null} if it is stopped
 */
public record AdminJob(
        long id,
        String handler,
        String description,
        String author,
        String schedule,
        boolean started,
        @Nullable Instant lastRun,
        @Nullable Instant nextRun) {}
