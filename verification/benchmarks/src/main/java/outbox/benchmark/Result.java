package outbox.benchmark;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the rounds of one scenario gave, or why there are none. Not thread-safe. */
public final class Result {
    private final String id;
    private final String title;
    private final Map<String, Unit> units = new LinkedHashMap<>();
    private final Map<String, List<Double>> values = new LinkedHashMap<>();
    private @Nullable String notAvailable;

    public Result(String id, String title) {
        this.id = id;
        this.title = title;
    }

    void add(List<Measurement> round) {
        for (Measurement measurement : round) {
            units.put(measurement.metric(), measurement.unit());
            values.computeIfAbsent(measurement.metric(), metric -> new ArrayList<>())
                    .add(measurement.value());
        }
    }

    void giveUp(String reason) {
        notAvailable = reason;
        values.clear();
    }

    public String id() {
        return id;
    }

    public String title() {
        return title;
    }

    /** Why there are no figures; {@code null} if there are. */
    public @Nullable String notAvailable() {
        return notAvailable;
    }

    public List<String> metrics() {
        return List.copyOf(values.keySet());
    }

    public Unit unit(String metric) {
        Unit unit = units.get(metric);
        if (unit == null) {
            throw new IllegalArgumentException(id + " has no metric " + metric + ", only " + units.keySet());
        }
        return unit;
    }

    /** The figures in the order of the rounds; empty if there are none. */
    public List<Double> rounds(String metric) {
        return values.getOrDefault(metric, List.of());
    }

    public Summary summary(String metric) {
        return Summary.of(rounds(metric));
    }
}
