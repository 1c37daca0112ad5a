package outbox.control.alert;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Provides the metrics of an application. */
@FunctionalInterface
public interface Readings {
    /**
     * All readings of a metric.
     *
     * @return {@code null} if the metric is not known at the moment: alerts then stay as they are
     */
    @Nullable
    List<Reading> of(String application, AlertMetric metric);
}
