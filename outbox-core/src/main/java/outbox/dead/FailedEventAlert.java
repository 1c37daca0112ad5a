package outbox.dead;

/** Tells people that events are dead. Called by whoever looks for them, on that thread; what it throws reaches the caller. */
@FunctionalInterface
public interface FailedEventAlert {
    void failed(FailedEvents events);
}
