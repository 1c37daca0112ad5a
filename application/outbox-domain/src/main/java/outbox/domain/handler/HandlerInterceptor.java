package outbox.domain.handler;

import java.util.List;
import outbox.EventEnvelope;

/**
 * Wraps every call of a handler, on its thread and inside its transaction, for instance for trace context, log context
 * or timing. An exception counts as the handler's failure. Thread-safe.
 */
@FunctionalInterface
public interface HandlerInterceptor {
    /** Calls {@link Call#proceed()} once. */
    void around(Call call) throws Exception;

    /** One call of a handler. */
    interface Call {
        String handler();

        /** One event, or the events of a batch. */
        List<EventEnvelope> events();

        /** The objects that the handler is called with, one for each of the events; none if it takes envelopes. */
        List<Object> objects();

        void proceed() throws Exception;
    }
}
