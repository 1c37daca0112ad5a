package outbox.domain.type;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Headers every event of the current thread gets: tenant, trace, request, operator, from wherever the application keeps
 * them. Asked once per event, on the publishing thread.
 */
@FunctionalInterface
public interface HeaderSource {
    HeaderSource NONE = Map::of;

    /** Null values are left out. */
    Map<String, @Nullable String> headers();
}
