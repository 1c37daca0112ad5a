package outbox.testing.server;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;

/**
 * Directories that are only read once they exist, so that all JVMs of a user share one of each in the temporary directory.
 *
 * <p>One appears by renaming and is therefore whole or absent. Cleaners of temporary directories may take single files
 * out of it later: one that does not have all its files is made again.
 */
final class SharedFiles {

    private static final String MARKER = ".files";

    private SharedFiles() {}

    /** Fills an empty directory. */
    interface Filling {
        void fill(Path target) throws IOException;
    }

    /** Returns the directory with the name, which says all that its content depends on, making it if need be. */
    static Path get(String name, Filling filling) throws IOException {
        Path home = home();
        Path copy = home.resolve(name);
        if (isWhole(copy)) {
            return copy;
        }
        Path fresh = Files.createTempDirectory(home, name + "-");
        try {
            filling.fill(fresh);
            Files.writeString(fresh.resolve(MARKER), Long.toString(countFiles(fresh)));
            return publish(fresh, copy);
        } finally {
            ServerDirectory.deleteTree(fresh); // there only if it was not published
        }
    }

    /** Returns a directory that belongs to this user: another user must not be able to slip a program in. */
    private static Path home() throws IOException {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        Path probe = Files.createTempDirectory(temporary, "outbox-servers-");
        Files.setPosixFilePermissions(probe, PosixFilePermissions.fromString("rwxr-xr-x"));
        Object user = Files.getAttribute(probe, "unix:uid");
        Path home = temporary.resolve("outbox-servers-" + user);
        try {
            Files.move(probe, home);
        } catch (FileSystemException e) {
            Files.delete(probe);
        }
        if (!Files.isDirectory(home, LinkOption.NOFOLLOW_LINKS)
                || !Files.getAttribute(home, "unix:uid", LinkOption.NOFOLLOW_LINKS)
                        .equals(user)) {
            throw new IOException(home + " belongs to another user; remove it or set java.io.tmpdir");
        }
        return home;
    }

    private static Path publish(Path fresh, Path copy) throws IOException {
        if (Files.exists(copy) && !isWhole(copy)) {
            Path broken = copy.resolveSibling(fresh.getFileName() + "-broken");
            Files.move(copy, broken, StandardCopyOption.ATOMIC_MOVE);
            ServerDirectory.deleteTree(broken);
        }
        try {
            return Files.move(fresh, copy, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) {
            if (!isWhole(copy)) {
                throw e;
            }
            return copy; // another JVM was faster
        }
    }

    private static boolean isWhole(Path copy) throws IOException {
        Path marker = copy.resolve(MARKER);
        return Files.exists(marker) && Files.readString(marker).equals(Long.toString(countFiles(copy)));
    }

    private static long countFiles(Path tree) throws IOException {
        try (Stream<Path> files = Files.walk(tree)) {
            return files.filter(file -> !file.endsWith(MARKER) && !Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS))
                    .count();
        }
    }
}
