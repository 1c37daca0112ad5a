package outbox.jdbc.payload;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Counts what is read. Not thread-safe. */
class Counted extends FilterInputStream {
    private long count;

    Counted(InputStream in) {
        super(in);
    }

    @Override
    public int read() throws IOException {
        int read = super.read();
        count += read < 0 ? 0 : 1;
        return read;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        int read = super.read(into, offset, length);
        count += Math.max(0, read);
        return read;
    }

    @Override
    public long skip(long bytes) throws IOException {
        long skipped = super.skip(bytes);
        count += skipped;
        return skipped;
    }

    @Override
    public boolean markSupported() {
        return false;
    }

    final long count() {
        return count;
    }
}
