package outbox;

/** The name of what happened. Implement it with an enum, or use {@link StringEventType} for names known only at run time. */
@FunctionalInterface
public interface EventType {
    String name();
}
