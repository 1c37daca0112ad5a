package outbox.spi;

/** Whether a listener gets events at the moment. */
public enum BreakerState {
    /** It does. */
    CLOSED,
    /** It failed too often in a row and is left alone for a while; its events wait in the table. */
    OPEN,
    /** One event is let through to see whether it works again. */
    HALF_OPEN
}
