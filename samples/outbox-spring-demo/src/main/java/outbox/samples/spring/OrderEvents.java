package outbox.samples.spring;

import outbox.AggregateType;
import outbox.EventType;
import outbox.StringAggregateType;

/** The names under which this service publishes. */
final class OrderEvents {
    static final AggregateType ORDER = StringAggregateType.of("Order");

    private OrderEvents() {}

    enum Type implements EventType {
        ORDER_PLACED
    }
}
