package outbox.control;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.control.alert.AlertMetric;
import outbox.control.alert.Reading;
import outbox.control.alert.Readings;
import outbox.control.live.Sample;
import outbox.control.live.Sampler;

/** Readings from the latest samples and heartbeats. */
final class SourceReadings implements Readings {
    private final Map<String, ControlCenter.Source> sources;

    SourceReadings(Map<String, ControlCenter.Source> sources) {
        this.sources = sources;
    }

    @Override
    public @Nullable List<Reading> of(String application, AlertMetric metric) {
        ControlCenter.Source source = sources.get(application);
        if (source == null) {
            return null;
        }
        Sampler sampler = source.sampler();
        if (metric == AlertMetric.UNREACHABLE) {
            return List.of(new Reading("", sampler.problem() == null ? 0 : 1));
        }
        Sample last = sampler.last();
        if (last == null || sampler.problem() != null) {
            return null;
        }
        try {
            return switch (metric) {
                case OLDEST_AGE -> List.of(new Reading("", last.oldestSeconds()));
                case DEAD_COUNT -> List.of(new Reading("", last.dead()));
                case FAILURE_RATE -> failureRate(last.failedPerMinute(), last.outPerMinute());
                case MISSING_HEARTBEAT ->
                    source.nodes().nodes().stream()
                            .map(node -> new Reading(node.name(), node.silentSeconds()))
                            .toList();
                case OPEN_BREAKER ->
                    source.nodes().handlers().stream()
                            .map(handler -> new Reading(
                                    handler.name() + " on " + handler.node(),
                                    handler.breaker().equals("open") ? 1 : 0))
                            .toList();
                case UNREACHABLE -> throw new AssertionError();
            };
        } catch (SQLException e) {
            return null; // known at the next evaluation
        }
    }

    static @Nullable List<Reading> failureRate(@Nullable Double failed, double delivered) {
        if (failed == null) {
            return null;
        }
        double all = failed + delivered;
        return List.of(new Reading("", all == 0 ? 0 : 100 * failed / all));
    }
}
