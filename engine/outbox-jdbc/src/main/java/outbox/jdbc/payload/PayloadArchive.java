package outbox.jdbc.payload;

import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.archive.EventArchive;
import outbox.jdbc.payload.PayloadTable.Place;

/** Writes the bodies of archived rows to files. A body that is archived again replaces its file. */
final class PayloadArchive implements EventArchive {
    private static final Logger LOG = System.getLogger(PayloadArchive.class.getName());
    private static final int PARTS = 4;

    private final EventArchive rows;
    private final ClaimCheck claimCheck;
    private final Path directory;

    PayloadArchive(EventArchive rows, ClaimCheck claimCheck, Path directory) {
        this.rows = Objects.requireNonNull(rows, "rows");
        this.claimCheck = claimCheck;
        this.directory = directory.toAbsolutePath();
    }

    @Override
    public Volume open(String name) throws IOException {
        if (!Files.isDirectory(directory)) {
            throw new IOException("archive directory " + directory + " does not exist; create it, or mount it again");
        }
        Volume volume = rows.open(name);
        return new Volume() {
            @Override
            public void add(Connection conn, String table, List<String> eventIds) throws SQLException, IOException {
                for (String eventId : eventIds) {
                    Place place = claimCheck.table().find(conn, eventId).orElse(null);
                    if (place != null) {
                        keep(conn, place);
                    }
                }
                volume.add(conn, table, eventIds);
            }

            @Override
            public void complete() throws IOException {
                volume.complete();
            }

            @Override
            public void close() throws IOException {
                volume.close();
            }
        };
    }

    private void keep(Connection conn, Place place) throws SQLException, IOException {
        String location = place.location();
        if (location == null) {
            write(conn, place, null);
            return;
        }
        try (InputStream body = open(place, location)) {
            if (body != null) {
                write(conn, place, body);
            }
        }
    }

    private @Nullable InputStream open(Place place, String location) throws IOException {
        ObjectStore objects = objects(location);
        try {
            return objects.open(location.substring(location.indexOf(':') + 1));
        } catch (NoSuchFileException e) { // now and later: the purge of other rows does not wait for it
            LOG.log(
                    Level.WARNING,
                    "payload " + location + " of event " + place.eventId() + " is gone; its row is archived without it",
                    e);
            return null;
        }
    }

    /** @param object {@code null} if the body is in the table */
    private void write(Connection conn, Place place, @Nullable InputStream object) throws SQLException, IOException {
        Path unfinished = directory.resolve(UUID.randomUUID() + ".part");
        try (FileChannel file = FileChannel.open(unfinished, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            var out = Channels.newOutputStream(file);
            if (object == null) {
                for (int part = 0; ; part += PARTS) {
                    List<byte[]> parts = claimCheck.table().read(conn, place.eventId(), part, PARTS);
                    for (byte[] data : parts) {
                        out.write(data);
                    }
                    if (parts.size() < PARTS) {
                        break;
                    }
                }
            } else {
                object.transferTo(out);
            }
            file.force(true);
        } catch (SQLException | IOException | RuntimeException e) {
            Files.deleteIfExists(unfinished);
            throw e;
        }
        Path complete = directory.resolve(place.eventId().replaceAll("[^A-Za-z0-9_-]", "_") + ".payload");
        Files.move(unfinished, complete, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private ObjectStore objects(String location) throws IOException {
        @Nullable ObjectStore objects = claimCheck.objects;
        if (objects == null || !location.startsWith(ClaimCheck.locationOf(objects, ""))) {
            throw new IOException("object " + location + " is in an object store that is not configured");
        }
        return objects;
    }

    @Override
    public String toString() {
        return rows + " with payloads in " + directory;
    }
}
