package outbox.testing;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What arrived on the other side of an {@link OutageDrill}, in the order it arrived. An event may arrive more than once,
 * since delivery is at least once; a receiver that handles each event once sees the first arrival, and that must come
 * after the first one of its predecessor. Thread-safe.
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

    /** How many different events arrived. */
    public synchronized int distinct() {
        return stepsByKey.values().stream()
                .mapToInt(steps -> (int) steps.stream().distinct().count())
                .sum();
    }

    /** How many arrivals there were on top of the first one of each event. */
    public synchronized int repeated() {
        return total - distinct();
    }

    /** Where a key's events did not arrive one after the other, repeats aside, in words; empty if all is well. */
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
