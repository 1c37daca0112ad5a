package outbox.domain.handler;

import java.util.List;
import outbox.EventEnvelope;

/**
 * What happens around every call of a handler, on the thread it runs on and inside its transaction: trace context, log
 * context, timing. What it throws is the handler's failure. Thread-safe.
 */
@FunctionalInterface
public interface HandlerInterceptor {
    /** Calls {@link Call#proceed()} once. */
    void around(Call call) throws Exception;

    /** One call of a handler. */
    interface Call {
        String handler();

        /** One event, or those of a batch. */
        List<EventEnvelope> events();

        /** The objects that the handler is called with, one for each of the events; none if it takes envelopes. */
        List<Object> objects();

        void proceed() throws Exception;
    }
}
