package outbox.spring.boot.properties;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where rows go before they are purged or dropped; at most one of them. */
public class ArchiveProperties {
    /** Directory for compressed files of one JSON object a line; it must exist. */
    private @Nullable Path directory;

    /** Table on the same database that takes the rows. */
    private @Nullable String table;

    public @Nullable Path getDirectory() {
        return directory;
    }

    public void setDirectory(@Nullable Path directory) {
        this.directory = directory;
    }

    public @Nullable String getTable() {
        return table;
    }

    public void setTable(@Nullable String table) {
        this.table = table;
    }
}
