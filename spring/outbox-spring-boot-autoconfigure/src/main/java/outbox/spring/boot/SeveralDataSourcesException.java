package outbox.spring.boot;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Nobody said which data source holds the outbox table, or it is not there. */
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
