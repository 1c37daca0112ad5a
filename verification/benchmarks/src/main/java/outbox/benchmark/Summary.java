package outbox.benchmark;

import java.util.Arrays;
import java.util.List;

/** The rounds of one metric in figures. */
public record Summary(double median, double min, double max, int rounds) {

    /** @param values at least one */
    public static Summary of(List<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        if (sorted.length == 0) {
            throw new IllegalArgumentException("nothing was measured");
        }
        return new Summary(quantile(sorted, 0.5), sorted[0], sorted[sorted.length - 1], sorted.length);
    }

    /** How far the rounds are apart, in parts of the median. */
    public double spread() {
        return median == 0 ? 0 : (max - min) / median;
    }

    /** @param nanos in any order */
    public static double quantile(long[] nanos, double quantile) {
        return quantile(Arrays.stream(nanos).asDoubleStream().sorted().toArray(), quantile);
    }

    private static double quantile(double[] sorted, double quantile) {
        double at = quantile * (sorted.length - 1);
        int below = (int) Math.floor(at);
        int above = (int) Math.ceil(at);
        return sorted[below] + (sorted[above] - sorted[below]) * (at - below);
    }
}
