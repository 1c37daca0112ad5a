package outbox.control.source;

/**
 * How many events there are, as far as was counted.
 *
 * @param more whether counting ended before all were found
 */
public record EventCount(int events, boolean more) {}
