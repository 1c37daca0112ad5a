package outbox.spring.boot.module;

import org.jspecify.annotations.Nullable;
import outbox.dispatch.ControlledListener;
import outbox.dispatch.RetryPreset;

/** How often a route tries, by two properties. */
final class RouteRetry {
    private RouteRetry() {}

    static ControlledListener.Builder apply(
            ControlledListener.Builder listener, RetryPreset preset, @Nullable Integer maxAttempts) {
        listener.retry(preset);
        return maxAttempts == null ? listener : listener.maxAttempts(maxAttempts);
    }
}
