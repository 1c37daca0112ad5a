package outbox.dead;

/** Tells people that events are dead. Called by whoever looks for them, on that thread; what it throws reaches the caller. */
@FunctionalInterface
public interface FailedEventAlert {
    void failed(FailedEvents events);

    /** Nothing is dead, or not any more. Called at each such look; one that remembers what it told forgets it. */
    default void noneFailed() {}

    /**
     * The alert for one of several outboxes that share this one. An alert that remembers what it told returns another one
     * here, so that the outboxes are not mistaken for each other; the default is this alert.
     *
     * @param outbox the name of the outbox
     */
    default FailedEventAlert forOutbox(String outbox) {
        return this;
    }
}
