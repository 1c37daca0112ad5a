package outbox.cdc;

/**
 * Where events go that will not be delivered. Returning means the letter is safe there; if it throws, it is called again
 * later and the event's aggregate waits. The same letter may come twice. Thread-safe.
 */
@FunctionalInterface
public interface DeadLetterSink {
    void add(DeadLetter letter) throws Exception;
}
