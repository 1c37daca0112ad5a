package outbox.spring.boot.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/** Names the observation of a handler. A bean of this type replaces the starter's convention. Must be thread-safe. */
@FunctionalInterface
public interface OutboxHandleConvention extends ObservationConvention<OutboxHandleContext> {
    @Override
    String getName();

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof OutboxHandleContext;
    }
}
