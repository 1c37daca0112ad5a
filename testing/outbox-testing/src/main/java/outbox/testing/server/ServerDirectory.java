package outbox.testing.server;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * The directory in which one server keeps all it writes: data, temporary files, log. Nothing else lives there, and it
 * is deleted with the server.
 */
record ServerDirectory(Path root) {

    /** Names a directory for those of all servers, other than the temporary directory of the JVM. */
    static final String PARENT = "outbox.test.directory";

    private static final int DELETE_ATTEMPTS = 20;
    private static final int TAIL_BYTES = 8_000;

    static ServerDirectory create(ServerKind kind) {
        try {
            Path parent = Path.of(ConfiguredServer.setting(PARENT).orElse(System.getProperty("java.io.tmpdir")));
            return in(Files.createTempDirectory(parent, "outbox-" + kind.id() + "-"));
        } catch (IOException e) {
            throw new UncheckedIOException("No directory for the " + kind.title() + " server can be created", e);
        }
    }

    /** Makes an empty directory that of a server. */
    static ServerDirectory in(Path empty) throws IOException {
        ServerDirectory directory = new ServerDirectory(empty);
        Files.createDirectory(directory.data());
        Files.createDirectory(directory.temporary());
        return directory;
    }

    Path data() {
        return root.resolve("data");
    }

    Path temporary() {
        return root.resolve("tmp");
    }

    Path log() {
        return root.resolve("server.log");
    }

    /** Returns the last lines of the log, for an error message. */
    String logTail() {
        try (RandomAccessFile file = new RandomAccessFile(log().toFile(), "r")) {
            long start = Math.max(0, file.length() - TAIL_BYTES);
            byte[] tail = new byte[(int) (file.length() - start)];
            file.seek(start);
            file.readFully(tail);
            return new String(tail, StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return "(no log: " + e + ")";
        }
    }

    /** Deletes the directory; a dying server may still create a file meanwhile, so it is tried more than once. */
    void delete() {
        IOException last = null;
        for (int attempt = 0; attempt < DELETE_ATTEMPTS; attempt++) {
            try {
                deleteTree(root);
                return;
            } catch (IOException e) {
                last = e;
                sleepBriefly();
            }
        }
        System.getLogger(ServerDirectory.class.getName())
                .log(System.Logger.Level.WARNING, root + " cannot be deleted; it stays on disk", last);
    }

    private static void sleepBriefly() {
        try {
            Thread.sleep(50);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void deleteTree(Path tree) throws IOException {
        if (Files.notExists(tree)) {
            return;
        }
        Files.walkFileTree(tree, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) throws IOException {
                if (e != null) {
                    throw e;
                }
                Files.deleteIfExists(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
