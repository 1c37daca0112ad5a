package outbox.registry;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.EventListener;

/** Finds the one listener of an event. Thread-safe. */
@FunctionalInterface
public interface ListenerRegistry {
    /** @return the listener, or {@code null} if nobody registered for this pair */
    @Nullable
    EventListener listenerFor(String aggregateType, String eventType);

    /**
     * The listener of this very event, which is what a dispatcher asks for; by default that of its pair. A registry in which
     * more decides, the tenant for one, overrides it, and so does one that asks other registries.
     *
     * @return as of the pair
     */
    default @Nullable EventListener listenerFor(EventEnvelope event) {
        return listenerFor(event.aggregateType(), event.eventType());
    }

    /**
     * Called when an operator replays an event, in the transaction that makes its row due. A registry whose listeners keep
     * progress of their own makes that due too; otherwise the replayed event would wait for the time stored there. By
     * default there is no such progress.
     *
     * @throws SQLException if the progress cannot be changed; then the event is not replayed
     */
    default void onReplay(Connection conn, String eventId) throws SQLException {}
}
