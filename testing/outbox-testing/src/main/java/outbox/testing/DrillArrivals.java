package outbox.testing;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The events received during an {@link OutageDrill}, in order of arrival. An event may arrive more than once, because
 * delivery is at least once; the first arrival of each event must come after the first arrival of its predecessor.
 * Thread-safe.
 */
public final class DrillArrivals {
    private static final Pattern PAYLOAD = Pattern.compile("\\{\"key\":\\s*\"([^\"]+)\",\\s*\"step\":\\s*(\\d+)}");

    private final Map<String, List<Integer>> stepsByKey = new TreeMap<>();
    private int total;

    /** @param payload an event's payload, as text */
    public synchronized void add(String payload) {
        Matcher matcher = PAYLOAD.matcher(payload);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("not the payload of a drill's event");
        }
        stepsByKey.computeIfAbsent(matcher.group(1), key -> new ArrayList<>()).add(Integer.parseInt(matcher.group(2)));
        total++;
    }

    /** Number of distinct events. */
    public synchronized int distinct() {
        return stepsByKey.values().stream()
                .mapToInt(steps -> (int) steps.stream().distinct().count())
                .sum();
    }

    /** Number of repeated arrivals. */
    public synchronized int repeated() {
        return total - distinct();
    }

    /** Descriptions of ordering violations, repeats aside; empty if there are none. */
    public synchronized List<String> outOfOrder() {
        List<String> complaints = new ArrayList<>();
        stepsByKey.forEach((key, steps) -> {
            int last = -1;
            for (int step : new LinkedHashSet<>(steps)) {
                if (step != last + 1) {
                    complaints.add(key + ": " + step + " after " + last);
                }
                last = step;
            }
        });
        return complaints;
    }
}
