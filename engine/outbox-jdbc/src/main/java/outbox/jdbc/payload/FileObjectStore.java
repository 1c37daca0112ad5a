package outbox.jdbc.payload;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Bodies as files in a directory that all nodes share. A file gets its final name when it is complete and synced to disk.
 * Immutable and thread-safe.
 */
public final class FileObjectStore implements ObjectStore {
    private static final String COMPLETE = ".payload";
    private static final String UNFINISHED = ".part";
    private static final Pattern KEY = Pattern.compile("[A-Za-z0-9]{1,64}");

    private final Path directory;

    /** @param directory must exist, and belong to one event table */
    public FileObjectStore(Path directory) {
        this.directory = Objects.requireNonNull(directory, "directory").toAbsolutePath();
    }

    @Override
    public String name() {
        return "files";
    }

    @Override
    public void put(String key, InputStream body) throws IOException {
        if (!Files.isDirectory(directory)) {
            throw new IOException("payload directory " + directory + " does not exist; create it, or mount it again");
        }
        Path unfinished = file(key, UNFINISHED);
        try (FileChannel channel =
                FileChannel.open(unfinished, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            body.transferTo(Channels.newOutputStream(channel));
            channel.force(true);
        } catch (IOException | RuntimeException e) {
            Files.deleteIfExists(unfinished);
            throw e;
        }
        Files.move(unfinished, file(key, COMPLETE), StandardCopyOption.ATOMIC_MOVE);
        syncDirectory();
    }

    @Override
    public InputStream open(String key) throws IOException {
        if (!Files.isDirectory(directory)) { // not mounted at the moment: no file is gone for that
            throw new IOException("payload directory " + directory + " does not exist; create it, or mount it again");
        }
        return Files.newInputStream(file(key, COMPLETE));
    }

    @Override
    public void delete(String key) throws IOException {
        Files.deleteIfExists(file(key, COMPLETE));
        Files.deleteIfExists(file(key, UNFINISHED));
    }

    @Override
    public void forEachKey(Consumer<String> keys) throws IOException {
        try (DirectoryStream<Path> files =
                Files.newDirectoryStream(directory, "*{" + COMPLETE + "," + UNFINISHED + "}")) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                String key = name.substring(0, name.lastIndexOf('.'));
                if (KEY.matcher(key).matches()) {
                    keys.accept(key);
                }
            }
        }
    }

    /** Keys come from rows, so they must not lead out of the directory. */
    private Path file(String key, String suffix) {
        if (!KEY.matcher(key).matches()) {
            throw new IllegalArgumentException("invalid key of a payload: " + key);
        }
        return directory.resolve(key + suffix);
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
        return "files in " + directory;
    }
}
