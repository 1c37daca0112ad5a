package outbox.control.alert;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Knows how an application is doing. */
@FunctionalInterface
public interface Readings {
    /**
     * All readings of a metric.
     *
     * @return {@code null} if nothing is known at the moment: alerts then stay as they are
     */
    @Nullable
    List<Reading> of(String application, AlertMetric metric);
}
