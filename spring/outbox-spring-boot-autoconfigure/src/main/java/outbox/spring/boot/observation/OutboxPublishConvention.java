package outbox.spring.boot.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names the observation of writing events. A bean of this type replaces the starter's convention. Must be thread-safe.
 *
 * <pre>{@code
 * @Bean
 * OutboxPublishConvention publishConvention() {
 *     return () -> "shop.events.publish";
 * }
 * }</pre>
 */
@FunctionalInterface
public interface OutboxPublishConvention extends ObservationConvention<OutboxPublishContext> {
    @Override
    String getName();

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof OutboxPublishContext;
    }
}
