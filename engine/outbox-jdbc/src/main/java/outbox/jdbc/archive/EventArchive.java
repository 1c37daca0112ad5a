package outbox.jdbc.archive;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * Stores a copy of rows before they are deleted: in a table ({@link #inTable}) or in files ({@link #inFiles}). A row is
 * deleted only after it was archived, so after a crash it may be archived twice but is never lost. Implementations are
 * thread-safe; a volume belongs to one thread.
 */
public interface EventArchive {
    /** Stores nothing. */
    EventArchive NONE = name -> new Volume() {
        @Override
        public void add(Connection conn, String table, List<String> eventIds) {}

        @Override
        public void complete() {}

        @Override
        public void close() {}
    };

    /**
     * Starts a volume of rows that belong together.
     *
     * @param name describes the rows; letters, digits, dots, dashes and underscores
     */
    Volume open(String name) throws IOException;

    /** Rows that are archived together. Closing it without {@link #complete()} discards them. */
    interface Volume extends AutoCloseable {
        /**
         * Adds rows of a table that is on the same database as the outbox.
         *
         * @param conn in a transaction that the caller commits before, or together with, the deletion of the rows
         * @param eventIds at most a thousand
         */
        void add(Connection conn, String table, List<String> eventIds) throws SQLException, IOException;

        /** When this returns, all rows are safe as soon as the transactions they were added in are committed. */
        void complete() throws IOException;

        @Override
        void close() throws IOException;
    }

    /**
     * Archives to a table on the same database, with the columns of the outbox table; see {@code
     * outbox/schema/<database>-archive.sql}. Existing rows are replaced.
     *
     * @param archiveTable {@code table} or {@code schema.table}
     */
    static EventArchive inTable(String archiveTable) {
        return new TableArchive(archiveTable);
    }

    /**
     * Archives to gzip files with one JSON object per line: all columns by name, payload and headers as JSON, times in
     * UTC. A file gets its final name when it is complete and synced to disk.
     *
     * @param directory must exist
     */
    static EventArchive inFiles(Path directory) {
        return new FileArchive(directory);
    }
}
