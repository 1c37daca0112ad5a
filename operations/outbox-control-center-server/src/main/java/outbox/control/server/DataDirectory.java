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

/** Files of the control center, readable by its own user alone. */
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
                            + "; set outbox.control-center.data-dir to one that is ours",
                    e);
        }
    }

    /**
     * By default H2 keeps what was committed in memory for up to a second. A process that is killed would lose the end of the
     * audit log, which looks like a log that was cut off, and which events of an operation were in hand.
     */
    String h2Url() {
        return "jdbc:h2:file:" + directory.resolve("control") + ";DB_CLOSE_ON_EXIT=FALSE;WRITE_DELAY=0";
    }

    AuditAnchor anchor() {
        return AuditAnchor.inFile(directory.resolve("audit.anchor"));
    }

    /** Made at the first start. Who loses it cannot verify the log any more. */
    AuditKey auditKey() {
        Path file = directory.resolve("audit.key");
        try {
            byte[] fresh = new byte[32];
            new SecureRandom().nextBytes(fresh);
            try {
                Files.writeString(file, Base64.getEncoder().encodeToString(fresh), StandardOpenOption.CREATE_NEW);
                onlyForUs(file, "rw-------");
            } catch (FileAlreadyExistsException e) {
                // made at an earlier start
            }
            return new AuditKey(
                    Base64.getDecoder().decode(Files.readString(file).strip()));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read or make the key of the audit log, " + file, e);
        }
    }

    private static void onlyForUs(Path path, String permissions) throws IOException {
        if (path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
        }
    }
}
