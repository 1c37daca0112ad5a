package outbox.dead;

/** Tells people that events are dead. Called by whoever looks for them, on that thread; what it throws reaches the caller. */
@FunctionalInterface
public interface FailedEventAlert {
    void failed(FailedEvents events);

    /** Nothing is dead, or not any more. Called at each such look; one that remembers what it told forgets it. */
    default void noneFailed() {}
}
