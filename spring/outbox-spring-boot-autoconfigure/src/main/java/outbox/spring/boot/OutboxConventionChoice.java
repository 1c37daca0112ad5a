package outbox.spring.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import outbox.spring.boot.observation.OutboxConventions;
import outbox.spring.boot.observation.OutboxHandleConvention;
import outbox.spring.boot.observation.OutboxPublishConvention;
import outbox.spring.boot.properties.TracingProperties.Convention;

/**
 * Which conventions name the observations: the application's beans, its global conventions, or those of the property,
 * in this order.
 *
 * @param ownPublish {@code null} if the application has none
 * @param ownHandle {@code null} if the application has none
 */
record OutboxConventionChoice(
        @Nullable OutboxPublishConvention ownPublish,
        OutboxPublishConvention publish,
        @Nullable OutboxHandleConvention ownHandle,
        OutboxHandleConvention handle) {
    static OutboxConventionChoice of(ListableBeanFactory beans, Convention convention) {
        boolean openTelemetry = convention == Convention.OPENTELEMETRY;
        return new OutboxConventionChoice(
                OwnBean.of(beans, OutboxPublishConvention.class),
                openTelemetry ? OutboxConventions.openTelemetryPublish() : OutboxConventions.publish(),
                OwnBean.of(beans, OutboxHandleConvention.class),
                openTelemetry ? OutboxConventions.openTelemetryHandle() : OutboxConventions.handle());
    }
}
