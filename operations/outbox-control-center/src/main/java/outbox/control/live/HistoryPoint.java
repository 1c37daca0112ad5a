package outbox.control.live;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of an application in one interval. Ages and counts are the highest of the interval, so that a short
 * outage stays visible; events are sums.
 *
 * @param at the start of the interval
 * @param minutes how many minutes of it were sampled
 * @param failed {@code null} if unknown
 * @param lagP50Millis the mean of the sampled medians
 * @param lagP95Millis the highest of the sampled percentiles
 * @param nodeStarts nodes that started in it
 */
public record HistoryPoint(
        Instant at,
        int minutes,
        double oldestSeconds,
        int waiting,
        int heldBack,
        int retry,
        int dead,
        double written,
        double delivered,
        @Nullable Double failed,
        @Nullable Double lagP50Millis,
        @Nullable Double lagP95Millis,
        int nodeStarts) {

    /** The samples of one minute. */
    static HistoryPoint ofMinute(Instant minute, List<Sample> samples, int nodeStarts) {
        return new HistoryPoint(
                minute,
                1,
                samples.stream().mapToDouble(Sample::oldestSeconds).max().orElse(0),
                max(samples, Sample::fresh),
                max(samples, Sample::heldBack),
                max(samples, Sample::retry),
                max(samples, Sample::dead),
                samples.stream().mapToDouble(Sample::inPerMinute).average().orElse(0),
                samples.stream().mapToDouble(Sample::outPerMinute).average().orElse(0),
                mean(samples, Sample::failedPerMinute),
                mean(samples, Sample::lagP50Millis),
                highest(samples, Sample::lagP95Millis),
                nodeStarts);
    }

    /** One point for several, which must not be empty. */
    static HistoryPoint merged(Instant at, Collection<HistoryPoint> points) {
        return new HistoryPoint(
                at,
                sum(points, HistoryPoint::minutes),
                points.stream().mapToDouble(HistoryPoint::oldestSeconds).max().orElse(0),
                max(points, HistoryPoint::waiting),
                max(points, HistoryPoint::heldBack),
                max(points, HistoryPoint::retry),
                max(points, HistoryPoint::dead),
                total(points, HistoryPoint::written),
                total(points, HistoryPoint::delivered),
                points.stream()
                        .map(HistoryPoint::failed)
                        .filter(Objects::nonNull)
                        .reduce(Double::sum)
                        .orElse(null),
                mean(points, HistoryPoint::lagP50Millis),
                highest(points, HistoryPoint::lagP95Millis),
                sum(points, HistoryPoint::nodeStarts));
    }

    Instant startOf(Duration interval) {
        long seconds = interval.toSeconds();
        return Instant.ofEpochSecond(Math.floorDiv(at.getEpochSecond(), seconds) * seconds);
    }

    private static <T> int max(Collection<T> all, ToIntFunction<T> value) {
        return all.stream().mapToInt(value).max().orElse(0);
    }

    private static <T> int sum(Collection<T> all, ToIntFunction<T> value) {
        return all.stream().mapToInt(value).sum();
    }

    private static <T> double total(Collection<T> all, ToDoubleFunction<T> value) {
        return all.stream().mapToDouble(value).sum();
    }

    private static <T> @Nullable Double mean(Collection<T> all, Function<T, @Nullable Double> value) {
        List<Double> known = all.stream().map(value).filter(Objects::nonNull).toList();
        return known.isEmpty()
                ? null
                : known.stream().mapToDouble(Double::doubleValue).average().orElse(0);
    }

    private static <T> @Nullable Double highest(Collection<T> all, Function<T, @Nullable Double> value) {
        return all.stream()
                .map(value)
                .filter(Objects::nonNull)
                .max(Comparator.naturalOrder())
                .orElse(null);
    }
}
