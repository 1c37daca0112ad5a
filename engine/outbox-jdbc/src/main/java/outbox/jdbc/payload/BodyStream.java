package outbox.jdbc.payload;

import java.io.IOException;
import java.io.InputStream;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import outbox.UnreadablePayloadException;
import outbox.spi.ConnectionProvider;
import outbox.spi.UnitOfWork;

/**
 * Reads a body from its table, a few parts at a time. It holds no connection while the listener works on what it has
 * read. Not thread-safe.
 */
final class BodyStream extends InputStream {
    private static final int PARTS = 4;

    private final PayloadTable table;
    private final ConnectionProvider connections;
    private final String eventId;
    private final long length;
    private final Deque<byte[]> parts = new ArrayDeque<>(PARTS);
    private byte[] current = new byte[0];
    private int position;
    private int nextPart;
    private long delivered;

    BodyStream(PayloadTable table, ConnectionProvider connections, String eventId, long length) {
        this.table = table;
        this.connections = connections;
        this.eventId = eventId;
        this.length = length;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int count) throws IOException {
        if (count == 0) {
            return 0;
        }
        while (position == current.length) {
            if (delivered == length) {
                return -1;
            }
            byte[] next = next();
            if (next == null || next.length == 0) {
                throw new UnreadablePayloadException("the payload of event " + eventId + " is gone: table " + table
                        + " has " + delivered + " of its " + length + " bytes");
            }
            current = next;
            position = 0;
            delivered += next.length;
        }
        int read = Math.min(count, current.length - position);
        System.arraycopy(current, position, into, offset, read);
        position += read;
        return read;
    }

    private byte @Nullable [] next() throws IOException {
        if (parts.isEmpty()) {
            try {
                parts.addAll(UnitOfWork.single(connections, conn -> table.read(conn, eventId, nextPart, PARTS)));
            } catch (SQLException e) {
                throw new IOException(
                        "the payload of event " + eventId + " could not be read from table " + table + ": "
                                + e.getMessage(),
                        e);
            }
            nextPart += PARTS;
        }
        return parts.poll();
    }
}
