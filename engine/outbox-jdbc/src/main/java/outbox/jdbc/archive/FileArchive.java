package outbox.jdbc.archive;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.zip.GZIPOutputStream;
import outbox.jdbc.JdbcTemplate;

/** Writes rows to compressed files of JSON lines. Existing files are never overwritten. */
final class FileArchive implements EventArchive {
    private static final Logger LOG = System.getLogger(FileArchive.class.getName());
    static final String SUFFIX = ".ndjson.gz";
    private static final String UNFINISHED = ".part";
    private static final int BUFFER = 1 << 16;

    private final Path directory;

    FileArchive(Path directory) {
        this.directory = Objects.requireNonNull(directory, "directory").toAbsolutePath();
    }

    @Override
    public Volume open(String name) throws IOException {
        if (!name.matches("[A-Za-z0-9._-]{1,150}")) {
            throw new IllegalArgumentException("invalid archive file name: " + name);
        }
        if (!Files.isDirectory(directory)) {
            throw new IOException("archive directory " + directory + " does not exist; create it, or mount it again");
        }
        return new File(name);
    }

    /**
     * Has a unique temporary name until it is complete: another process, or a previous incarnation, may have started
     * the same file.
     */
    private final class File implements Volume {
        private final String name;
        private final Path unfinished;
        private final FileChannel channel;
        private final GZIPOutputStream gzip;
        private final Writer lines;
        private boolean open = true;

        File(String name) throws IOException {
            this.name = name;
            this.unfinished = directory.resolve(name + "-" + UUID.randomUUID() + UNFINISHED);
            this.channel = FileChannel.open(unfinished, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            this.gzip = new GZIPOutputStream(Channels.newOutputStream(channel), BUFFER);
            this.lines = new BufferedWriter(new OutputStreamWriter(gzip, StandardCharsets.UTF_8), BUFFER);
        }

        @Override
        public void add(Connection conn, String table, List<String> eventIds) throws SQLException, IOException {
            List<String> rows = JdbcTemplate.query(
                    conn,
                    "SELECT * FROM " + table + " WHERE " + Ids.condition(eventIds) + " ORDER BY event_id",
                    statement -> Ids.bind(statement, eventIds),
                    RowAsJson::line);
            for (String row : rows) {
                lines.write(row);
                lines.write('\n');
            }
        }

        @Override
        public void complete() throws IOException {
            lines.flush();
            gzip.finish();
            channel.force(true);
            lines.close();
            publish();
            open = false;
            syncDirectory();
        }

        /** Uses the first free name: several databases may archive to one directory. */
        private void publish() throws IOException {
            for (int number = 1; ; number++) {
                Path complete = directory.resolve(name + (number == 1 ? "" : "-" + number) + SUFFIX);
                try {
                    giveName(complete);
                    return;
                } catch (FileAlreadyExistsException e) {
                    // try the next name
                }
            }
        }

        /** A hard link never replaces an existing file, and the name never refers to an incomplete file. */
        private void giveName(Path complete) throws IOException {
            try {
                Files.createLink(complete, unfinished);
            } catch (FileAlreadyExistsException e) {
                throw e;
            } catch (UnsupportedOperationException | FileSystemException noLinksHere) {
                Files.createFile(complete); // reserves the name
                try {
                    Files.move(unfinished, complete, StandardCopyOption.ATOMIC_MOVE);
                } catch (IOException | RuntimeException e) {
                    Files.deleteIfExists(complete);
                    throw e;
                }
                return;
            }
            try {
                Files.delete(unfinished);
            } catch (IOException e) { // the rows are archived; only the temporary name is left
                LOG.log(Level.WARNING, unfinished + " could not be removed; its rows are in " + complete, e);
            }
        }

        @Override
        public void close() throws IOException {
            if (open) {
                open = false;
                try {
                    lines.close();
                } finally {
                    Files.deleteIfExists(unfinished);
                }
            }
        }
    }

    /** Syncs the directory, so that the name survives a crash too. Not supported on every system. */
    private void syncDirectory() {
        try (FileChannel entries = FileChannel.open(directory, StandardOpenOption.READ)) {
            entries.force(true);
        } catch (IOException notHere) {
            // Windows does not open directories; its file system writes names through
        }
    }

    @Override
    public String toString() {
        return "archive files in " + directory;
    }
}
