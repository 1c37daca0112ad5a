package outbox;

/** The kind of thing an event is about. Implement it with an enum, or use {@link StringAggregateType}. */
@FunctionalInterface
public interface AggregateType {
    /** The aggregate type of events that belong to no aggregate. */
    AggregateType GLOBAL = new StringAggregateType("__GLOBAL__");

    String name();
}
