package outbox.spi;

import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.model.OutboxEvent;

/**
 * A store that remembers which dead letters a {@link DeadLetterListener} has not seen yet: {@code locked_by} of such a row
 * is {@link #UNANNOUNCED}, and {@code locked_at} is when its last announcement began. All methods work in the caller's
 * transaction.
 */
public interface DeadLetterStore {
    /** What {@code locked_by} of a dead row holds until its listener has seen it. */
    String UNANNOUNCED = "#unannounced";

    /** A dead row, and its {@code last_error}. */
    record DeadRow(OutboxEvent event, @Nullable String error) {}

    /** In the transaction in which these rows became DEAD: they are to be announced. Others are left as they are. */
    void markUnannounced(Connection conn, Collection<String> eventIds);

    /** Rows whose announcement has not begun, or began longer than {@code retryAfter} ago and has not ended; oldest first. */
    List<DeadRow> unannounced(Connection conn, Duration retryAfter, int limit);

    /** The announcement of this row begins. @return {@code false} if another one began meanwhile, or the row is not dead */
    boolean beginAnnouncement(Connection conn, String eventId, Duration retryAfter);

    /** The announcement of this row has ended. */
    void announced(Connection conn, String eventId);
}
