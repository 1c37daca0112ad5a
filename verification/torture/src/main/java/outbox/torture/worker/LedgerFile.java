package outbox.torture.worker;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Where a process notes what it did, one line each, one system call each: once a line is appended it is in the hands of
 * the kernel and survives a kill of the process. Thread-safe.
 *
 * <p>For an event, the delivery <em>is</em> its line: a listener that was killed before it has not delivered, one that
 * was killed after it has. An intent is noted after the commit, so a killed process may have committed more than it
 * noted; the business table knows. Times are those of {@link System#nanoTime()}, which on Linux all processes share.
 */
public final class LedgerFile implements AutoCloseable {
    private final FileOutputStream file;

    public LedgerFile(Path path) {
        try {
            this.file = new FileOutputStream(path.toFile(), true);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot open " + path, e);
        }
    }

    public void committed(String eventId) {
        append("C " + eventId + " " + System.nanoTime() + "\n");
    }

    public void delivered(String eventId, long begun) {
        append("D " + eventId + " " + begun + " " + System.nanoTime() + "\n");
    }

    private void append(String line) {
        try {
            file.write(line.getBytes(StandardCharsets.US_ASCII)); // unbuffered: one write(2)
        } catch (IOException e) {
            throw new UncheckedIOException("cannot append to the ledger", e);
        }
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
