package outbox.control;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.control.alert.AlertMetric;
import outbox.control.alert.Reading;
import outbox.control.alert.Readings;
import outbox.control.remote.RemoteSource;
import outbox.control.remote.RemoteSources;

/** Readings of applications over HTTP, from their latest poll. */
final class RemoteReadings implements Readings {
    private final RemoteSources remotes;

    RemoteReadings(RemoteSources remotes) {
        this.remotes = remotes;
    }

    @Override
    public @Nullable List<Reading> of(String application, AlertMetric metric) {
        RemoteSource remote = remotes.of(application);
        if (remote == null) {
            return null;
        }
        boolean problem = remote.problem() != null;
        if (metric == AlertMetric.UNREACHABLE) {
            return List.of(new Reading("", problem ? 1 : 0));
        }
        RemoteSource.Snapshot latest = remote.latest();
        Map<String, @Nullable Object> sample = latest.sample();
        if (problem || sample == null) {
            return null;
        }
        return switch (metric) {
            case OLDEST_AGE -> one(number(sample.get("oldestSeconds")));
            case DEAD_COUNT -> one(number(sample.get("dead")));
            case FAILURE_RATE -> {
                Double delivered = number(sample.get("outPerMinute"));
                yield delivered == null
                        ? null
                        : SourceReadings.failureRate(number(sample.get("failedPerMinute")), delivered);
            }
            case MISSING_HEARTBEAT ->
                latest.nodes().stream()
                        .filter(node -> number(node.get("silentSeconds")) != null)
                        .map(node -> new Reading(
                                String.valueOf(node.get("name")), orZero(number(node.get("silentSeconds")))))
                        .toList();
            case OPEN_BREAKER ->
                latest.handlers().stream()
                        .map(handler -> new Reading(
                                handler.get("name") + " on " + handler.get("node"),
                                "open".equals(handler.get("breaker")) ? 1 : 0))
                        .toList();
            case UNREACHABLE -> throw new AssertionError();
        };
    }

    private static @Nullable List<Reading> one(@Nullable Double value) {
        return value == null ? null : List.of(new Reading("", value));
    }

    private static double orZero(@Nullable Double value) {
        return value == null ? 0 : value;
    }

    private static @Nullable Double number(@Nullable Object value) {
        return value instanceof Number number ? number.doubleValue() : null;
    }
}
