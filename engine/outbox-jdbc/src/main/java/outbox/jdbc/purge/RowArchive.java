package outbox.jdbc.purge;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Objects;
import outbox.jdbc.archive.EventArchive;

/** Archives rows of a table that are about to be deleted. Immutable, thread-safe. */
final class RowArchive {
    private static final int PAGE = 500;
    private static final DateTimeFormatter FILE_TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmssSSS'Z'").withZone(ZoneOffset.UTC);

    private final String table;
    private final EventArchive archive;

    RowArchive(String table, EventArchive archive) {
        this.table = table;
        this.archive = Objects.requireNonNull(archive, "archive");
    }

    /** @param ids not empty */
    void keep(Connection conn, List<String> ids) throws SQLException {
        String name = table + "-rows-" + FILE_TIME.format(Instant.now()) + "-" + safe(ids.get(0));
        try (EventArchive.Volume volume = archive.open(name)) {
            for (int from = 0; from < ids.size(); from += PAGE) {
                volume.add(conn, table, ids.subList(from, Math.min(from + PAGE, ids.size())));
            }
            volume.complete();
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "rows of " + table + " could not be archived to " + archive + "; they stay in the table", e);
        }
    }

    /** Ids of the application's own making may be of any characters. */
    private static String safe(String id) {
        return id.replaceAll("[^A-Za-z0-9_-]", "_");
    }

    @Override
    public String toString() {
        return archive.toString();
    }
}
