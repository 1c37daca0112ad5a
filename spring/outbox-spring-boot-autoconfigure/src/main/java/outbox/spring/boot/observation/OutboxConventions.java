package outbox.spring.boot.observation;

import io.micrometer.common.KeyValues;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;

/** The conventions of the starter, to use or to extend by delegation. Thread-safe. */
public final class OutboxConventions {
    private OutboxConventions() {}

    /** {@code outbox.publish}, with the tag {@code outbox.event.type}. */
    public static OutboxPublishConvention publish() {
        return new Publish();
    }

    /** {@code outbox.handle}, with the tags {@code outbox.event.type} and {@code outbox.handler}. */
    public static OutboxHandleConvention handle() {
        return new Handle();
    }

    /** Writing by OpenTelemetry's messaging conventions: {@code messaging.client.operation.duration}. */
    public static OutboxPublishConvention openTelemetryPublish() {
        return new OpenTelemetryPublish();
    }

    /** Handling by OpenTelemetry's messaging conventions: {@code messaging.process.duration}. */
    public static OutboxHandleConvention openTelemetryHandle() {
        return new OpenTelemetryHandle();
    }

    private static String typeOf(List<EventEnvelope> events) {
        String first = events.get(0).eventType();
        return events.stream().allMatch(event -> event.eventType().equals(first)) ? first : "several";
    }

    private static final class Publish implements OutboxPublishConvention {
        @Override
        public String getName() {
            return "outbox.publish";
        }

        @Override
        public String getContextualName(OutboxPublishContext context) {
            return "outbox publish";
        }

        @Override
        public KeyValues getLowCardinalityKeyValues(OutboxPublishContext context) {
            return KeyValues.of("outbox.event.type", typeOf(context.events()));
        }
    }

    private static final class Handle implements OutboxHandleConvention {
        @Override
        public String getName() {
            return "outbox.handle";
        }

        @Override
        public String getContextualName(OutboxHandleContext context) {
            return "outbox handle";
        }

        @Override
        public KeyValues getLowCardinalityKeyValues(OutboxHandleContext context) {
            return KeyValues.of("outbox.event.type", typeOf(context.events()), "outbox.handler", context.handler());
        }
    }

    private static KeyValues messaging(String operation, String type, List<EventEnvelope> events) {
        return KeyValues.of(
                "messaging.system",
                "outbox",
                "messaging.operation.name",
                operation,
                "messaging.operation.type",
                type,
                "messaging.destination.name",
                typeOf(events));
    }

    /** For spans only: these attributes are absent where they do not apply, which tags of a meter must not be. */
    private static KeyValues messages(List<EventEnvelope> events, @Nullable Throwable error) {
        KeyValues values = events.size() == 1
                ? KeyValues.of("messaging.message.id", events.get(0).eventId())
                : KeyValues.of("messaging.batch.message_count", Integer.toString(events.size()));
        return error == null
                ? values
                : values.and("error.type", error.getClass().getName());
    }

    private static final class OpenTelemetryPublish implements OutboxPublishConvention {
        @Override
        public String getName() {
            return "messaging.client.operation.duration";
        }

        @Override
        public String getContextualName(OutboxPublishContext context) {
            return "publish " + typeOf(context.events());
        }

        @Override
        public KeyValues getLowCardinalityKeyValues(OutboxPublishContext context) {
            return messaging("publish", "send", context.events());
        }

        @Override
        public KeyValues getHighCardinalityKeyValues(OutboxPublishContext context) {
            return messages(context.events(), context.getError());
        }
    }

    private static final class OpenTelemetryHandle implements OutboxHandleConvention {
        @Override
        public String getName() {
            return "messaging.process.duration";
        }

        @Override
        public String getContextualName(OutboxHandleContext context) {
            return "handle " + typeOf(context.events());
        }

        @Override
        public KeyValues getLowCardinalityKeyValues(OutboxHandleContext context) {
            return messaging("handle", "process", context.events())
                    .and("messaging.consumer.group.name", context.handler());
        }

        @Override
        public KeyValues getHighCardinalityKeyValues(OutboxHandleContext context) {
            return messages(context.events(), context.getError());
        }
    }
}
