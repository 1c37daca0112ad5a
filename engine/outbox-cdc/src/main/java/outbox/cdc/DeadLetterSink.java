package outbox.cdc;

/**
 * Stores events that will not be delivered. Returning normally means the dead letter is stored; if it throws, it is
 * called again later, and the event's aggregate waits. The same dead letter may be added twice. Implementations are
 * thread-safe.
 */
@FunctionalInterface
public interface DeadLetterSink {
    void add(CdcDeadLetter letter) throws Exception;
}
