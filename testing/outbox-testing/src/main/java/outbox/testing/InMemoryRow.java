package outbox.testing;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.RetentionPurger;
import outbox.util.StoredError;

/**
 * A row of an {@link InMemoryOutboxStore}, with all columns of the table, as it is at one moment.
 *
 * @param event what a poll would return of it
 */
public record InMemoryRow(
        OutboxEvent event,
        EventStatus status,
        Instant availableAt,
        @Nullable Instant doneAt,
        @Nullable String lastError,
        @Nullable String lockedBy,
        @Nullable Instant lockedAt) {

    String id() {
        return event.eventId();
    }

    boolean isPending() {
        return status == EventStatus.NEW || status == EventStatus.RETRY;
    }

    boolean isHeldBy(String owner) {
        return isPending() && owner.equals(lockedBy);
    }

    boolean isFreeAt(Instant lockExpiry) {
        return lockedBy == null || lockedAt == null || lockedAt.isBefore(lockExpiry);
    }

    /** Whether rows of the same aggregate that were inserted later have to wait for this one. */
    boolean isInTheWay() {
        return isPending() || (status == EventStatus.DEAD && !LeasingOutboxStore.PARKED.equals(lockedBy));
    }

    /** What keeps its order among itself; empty for a row without an aggregate id. */
    List<String> orderKey() {
        String id = event.aggregateId();
        return id == null ? List.of() : List.of(String.valueOf(event.aggregateType()), id);
    }

    boolean isLeftToOperators() {
        return status == EventStatus.DEAD || (isPending() && lockedBy == null);
    }

    boolean hasEndedBefore(RetentionPurger.Cutoff cutoff) {
        Instant end = doneAt == null ? event.createdAt() : doneAt;
        return switch (status) {
            case NEW, RETRY -> false;
            case DONE -> end.isBefore(cutoff.doneBefore());
            case DEAD ->
                end.isBefore(cutoff.deadBefore())
                        && !(cutoff.keepsBlocking() && isInTheWay() && event.aggregateId() != null);
        };
    }

    InMemoryRow parked(Instant at) {
        return new InMemoryRow(event, EventStatus.DEAD, availableAt, at, lastError, LeasingOutboxStore.PARKED, null);
    }

    InMemoryRow leased(String owner, Instant at) {
        return new InMemoryRow(event, status, availableAt, doneAt, lastError, owner, at);
    }

    InMemoryRow attempted(int attempts) {
        return new InMemoryRow(withAttempts(attempts), status, availableAt, doneAt, lastError, lockedBy, lockedAt);
    }

    InMemoryRow freed(int attempts) {
        return new InMemoryRow(withAttempts(attempts), status, availableAt, doneAt, lastError, null, null);
    }

    /** The time without an owner tells that it was due before. */
    InMemoryRow freed(int attempts, Instant due, Instant now) {
        return new InMemoryRow(withAttempts(attempts), status, due, doneAt, lastError, null, now);
    }

    /** When it was due for the first time, as far as that is known; {@code null} if it is scheduled for later. */
    @Nullable
    Instant dueSince(Instant now) {
        boolean hasBeenDue = event.attempts() > 0 || (lockedBy == null && lockedAt != null);
        if (hasBeenDue && event.createdAt().isBefore(availableAt)) {
            return event.createdAt();
        }
        return hasBeenDue || !availableAt.isAfter(now) ? availableAt : null;
    }

    InMemoryRow done(Instant at) {
        return new InMemoryRow(event, EventStatus.DONE, availableAt, at, lastError, null, null);
    }

    InMemoryRow retry(int attempts, Instant due, @Nullable String error) {
        return new InMemoryRow(
                withAttempts(attempts), EventStatus.RETRY, due, doneAt, StoredError.clean(error), null, null);
    }

    InMemoryRow dead(int attempts, @Nullable Instant at, @Nullable String error) {
        return new InMemoryRow(
                withAttempts(attempts), EventStatus.DEAD, availableAt, at, StoredError.clean(error), null, null);
    }

    InMemoryRow replayed(Instant due) {
        return new InMemoryRow(withAttempts(0), EventStatus.NEW, due, null, lastError, null, null);
    }

    private OutboxEvent withAttempts(int attempts) {
        return new OutboxEvent(
                event.eventId(),
                event.eventType(),
                event.aggregateType(),
                event.aggregateId(),
                event.tenantId(),
                event.payloadJson(),
                event.headersJson(),
                attempts,
                event.createdAt());
    }
}
