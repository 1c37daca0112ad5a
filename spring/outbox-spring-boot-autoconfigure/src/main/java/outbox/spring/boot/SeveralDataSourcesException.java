package outbox.spring.boot;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The data source of the outbox table is ambiguous or does not exist. */
final class SeveralDataSourcesException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final List<String> names;

    SeveralDataSourcesException(@Nullable String wanted, List<String> names) {
        super(
                wanted == null
                        ? "there are " + names.size() + " data sources, " + names + ", and none is primary"
                        : "there is no data source '" + wanted + "'; there are " + names);
        this.names = List.copyOf(names);
    }

    List<String> names() {
        return names;
    }
}
