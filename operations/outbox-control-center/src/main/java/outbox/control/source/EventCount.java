package outbox.control.source;

import java.util.List;

/**
 * How many events there are, as far as was counted.
 *
 * @param more whether counting ended before all were found
 * @param first the ids of the first few
 */
public record EventCount(int events, boolean more, List<String> first) {}
