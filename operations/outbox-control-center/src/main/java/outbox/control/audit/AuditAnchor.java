package outbox.control.audit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;

/**
 * Stores the end of the chain outside the database. Without it, restoring an older copy of the whole log is not
 * detected.
 */
public interface AuditAnchor {
    /** Stores nothing. */
    AuditAnchor NONE = new AuditAnchor() {
        @Override
        public void keep(long seq, String mac) {}

        @Override
        public @Nullable Mark kept() {
            return null;
        }
    };

    /** @param seq the number of an entry that was certainly written */
    record Mark(long seq, String mac) {}

    /** Stores the highest entry so far; entries of several threads may arrive in any order. */
    void keep(long seq, String mac);

    /** @return {@code null} if there is none */
    @Nullable
    Mark kept();

    /** Stores it in a file, replaced atomically. */
    static AuditAnchor inFile(Path file) {
        return new AuditAnchor() {
            @Override
            public synchronized void keep(long seq, String mac) {
                if (seq <= lastInFile()) {
                    return;
                }
                try {
                    Path fresh = file.resolveSibling(file.getFileName() + ".new");
                    Files.writeString(fresh, seq + " " + mac + "\n");
                    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                } catch (IOException e) {
                    throw new UncheckedIOException("cannot store the end of the audit log in " + file, e);
                }
            }

            /** Reads the file each time: it may be deleted to start over. */
            private long lastInFile() {
                Mark mark = kept();
                return mark == null ? 0 : mark.seq();
            }

            @Override
            public synchronized @Nullable Mark kept() {
                try {
                    String[] parts = Files.readString(file).strip().split(" ", 2);
                    return new Mark(Long.parseLong(parts[0]), parts[1]);
                } catch (NoSuchFileException e) {
                    return null;
                } catch (IOException | RuntimeException e) {
                    throw new IllegalStateException("cannot read the end of the audit log in " + file, e);
                }
            }
        };
    }
}
