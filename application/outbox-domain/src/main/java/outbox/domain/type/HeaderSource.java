package outbox.domain.type;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Provides headers for every event of the current thread, such as tenant, trace, request or user. Called once per
 * event, on the publishing thread.
 */
@FunctionalInterface
public interface HeaderSource {
    HeaderSource NONE = Map::of;

    /** Null values are omitted. */
    Map<String, @Nullable String> headers();
}
