package outbox.control.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import outbox.control.audit.AuditAnchor;
import outbox.control.audit.AuditKey;

/** Files of the control center, readable only by its own user. */
final class DataDirectory {
    private final Path directory;

    DataDirectory(Path directory) {
        this.directory = directory.toAbsolutePath();
        try {
            Files.createDirectories(this.directory);
            onlyForUs(this.directory, "rwx------");
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot create the directory " + this.directory
                            + "; set outbox.control-center.data-dir to a writable directory",
                    e);
        }
    }

    /**
     * By default H2 writes committed data after up to a second. A killed process would lose the end of the audit log,
     * which would look truncated, and the events that an operation had taken.
     */
    String h2Url() {
        return "jdbc:h2:file:" + directory.resolve("control") + ";DB_CLOSE_ON_EXIT=FALSE;WRITE_DELAY=0";
    }

    AuditAnchor anchor() {
        return AuditAnchor.inFile(directory.resolve("audit.anchor"));
    }

    /** Created at the first start. Without it the audit log cannot be verified. */
    AuditKey auditKey() {
        Path file = directory.resolve("audit.key");
        try {
            byte[] fresh = new byte[32];
            new SecureRandom().nextBytes(fresh);
            try {
                Files.writeString(file, Base64.getEncoder().encodeToString(fresh), StandardOpenOption.CREATE_NEW);
                onlyForUs(file, "rw-------");
            } catch (FileAlreadyExistsException e) {
                // created at an earlier start
            }
            return new AuditKey(
                    Base64.getDecoder().decode(Files.readString(file).strip()));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read or create the key of the audit log, " + file, e);
        }
    }

    private static void onlyForUs(Path path, String permissions) throws IOException {
        if (path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
        }
    }
}
