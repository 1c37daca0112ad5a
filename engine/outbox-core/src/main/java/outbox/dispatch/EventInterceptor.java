package outbox.dispatch;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;

/**
 * What happens around every delivery: audit, logging, context. {@code beforeDispatch} runs in the order of
 * registration; if one throws, the listener is not called and the event is retried or dead. {@code afterDispatch} runs
 * in reverse order; what it throws is logged only. Thread-safe.
 */
public interface EventInterceptor {
    default void beforeDispatch(EventEnvelope event) throws Exception {}

    /** @param error {@code null} if the delivery succeeded; an {@link Error} comes wrapped */
    default void afterDispatch(EventEnvelope event, @Nullable Exception error) {}

    /** An interceptor that only looks before. */
    static EventInterceptor before(BeforeHook hook) {
        Objects.requireNonNull(hook, "hook");
        return new EventInterceptor() {
            @Override
            public void beforeDispatch(EventEnvelope event) throws Exception {
                hook.beforeDispatch(event);
            }
        };
    }

    /** An interceptor that only looks after. */
    static EventInterceptor after(AfterHook hook) {
        Objects.requireNonNull(hook, "hook");
        return new EventInterceptor() {
            @Override
            public void afterDispatch(EventEnvelope event, @Nullable Exception error) {
                hook.afterDispatch(event, error);
            }
        };
    }

    /** See {@link EventInterceptor#before}. */
    @FunctionalInterface
    interface BeforeHook {
        void beforeDispatch(EventEnvelope event) throws Exception;
    }

    /** See {@link EventInterceptor#after}. */
    @FunctionalInterface
    interface AfterHook {
        void afterDispatch(EventEnvelope event, @Nullable Exception error);
    }
}
