package outbox.spring.boot.properties;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Archive of rows before they are purged or dropped: a directory or a table, not both. */
public class ArchiveProperties {
    /**
     * Existing directory that rows are archived to before they are purged: compressed files with one JSON object per line.
     * If not set, no files are written.
     */
    private @Nullable Path directory;

    /** Table in the same database that rows are copied to before they are purged. If not set, no table is used. */
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
