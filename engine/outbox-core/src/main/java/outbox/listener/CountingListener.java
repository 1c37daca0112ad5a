package outbox.listener;

import java.util.concurrent.CompletionStage;
import outbox.AsyncEventListener;
import outbox.EventEnvelope;

/**
 * A listener that counts attempts by itself, beside those of the row: one that brings an event to several handlers with
 * progress of their own, for instance. For the engine's own modules.
 */
public interface CountingListener extends AsyncEventListener {
    /**
     * As {@link #onEventAsync}, for an event whose last delivery may have ended with its process. It must store an attempt
     * before it makes it, and make none where the last one that is allowed was stored already.
     */
    CompletionStage<?> onSuspectAsync(EventEnvelope event);
}
