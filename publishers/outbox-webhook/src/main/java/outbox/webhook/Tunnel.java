package outbox.webhook;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One connection through the relay, from the HTTP client ({@code inner}) to the receiver ({@code outer}). Confined to
 * the relay's thread.
 */
final class Tunnel {
    private static final int BUFFER_BYTES = 16 * 1024;
    /** Limits the bytes per turn, so that a busy tunnel does not starve the others. */
    private static final int MAX_TURNS = 16;

    private static final byte[] ESTABLISHED =
            "HTTP/1.1 200 Connection established\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] REFUSED = "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            .getBytes(StandardCharsets.US_ASCII);

    private final SelectionKey innerKey;
    private final SocketChannel inner;
    private final ByteBuffer outwards = ByteBuffer.allocate(BUFFER_BYTES);
    private final ByteBuffer inwards = ByteBuffer.allocate(BUFFER_BYTES);

    private @Nullable ConnectRequest request;
    private Iterator<InetAddress> untried = List.<InetAddress>of().iterator();
    private @Nullable SocketChannel outer;
    private @Nullable SelectionKey outerKey;
    private boolean open;
    private boolean ending;
    private long activeAt;

    Tunnel(SocketChannel inner, Selector selector, long now) throws IOException {
        this.inner = inner;
        this.innerKey = inner.register(selector, SelectionKey.OP_READ, this);
        this.activeAt = now;
    }

    @Nullable
    ConnectRequest request() {
        return request;
    }

    boolean isConnecting() {
        return outer != null && !open;
    }

    long activeAt() {
        return activeAt;
    }

    /** Reads the request of the client. @return whether it is complete; true once */
    boolean readRequest(String authorization, long now) throws IOException {
        activeAt = now;
        if (inner.read(outwards) < 0 || !outwards.hasRemaining()) {
            close();
            return false;
        }
        if (!ConnectRequest.isComplete(outwards)) {
            return false;
        }
        request = ConnectRequest.parse(outwards, authorization);
        outwards.clear();
        if (request == null) {
            close();
            return false;
        }
        innerKey.interestOps(0);
        return true;
    }

    void setAddresses(List<InetAddress> addresses) {
        untried = addresses.iterator();
    }

    boolean hasMoreAddresses() {
        return untried.hasNext() && inner.isOpen();
    }

    /** Starts connecting to the next address. @throws IOException if it is unreachable */
    void connectToNext(long now) throws IOException {
        closeOuter();
        activeAt = now;
        int port = Objects.requireNonNull(request).port();
        SocketChannel channel = SocketChannel.open();
        outer = channel;
        channel.configureBlocking(false);
        channel.socket().setTcpNoDelay(true);
        SelectionKey key = channel.register(innerKey.selector(), SelectionKey.OP_CONNECT, this);
        outerKey = key;
        if (channel.connect(new InetSocketAddress(untried.next(), port))) {
            finishConnect(now);
        }
    }

    /** @throws IOException if this address did not accept the connection */
    void finishConnect(long now) throws IOException {
        if (outer != null && (outer.isConnected() || outer.finishConnect())) {
            open = true;
            activeAt = now;
            inwards.put(ESTABLISHED);
            write(inwards, inner);
            listen();
        }
    }

    boolean isOpen() {
        return open;
    }

    /** Responds to the client that there is no connection, which fails its request. */
    void refuse() throws IOException {
        inwards.clear().put(REFUSED);
        write(inwards, inner);
        close();
    }

    /**
     * Copies bytes that arrived on one side, and pending bytes to that side. When one side closes, the tunnel is
     * closed: HTTP needs no half-open connections.
     */
    void pass(SelectionKey ready, long now) throws IOException {
        activeAt = now;
        SocketChannel out = outer;
        if (out == null || outerKey == null) {
            return;
        }
        boolean fromInner = ready == innerKey;
        if (ready.isWritable()) {
            write(fromInner ? inwards : outwards, fromInner ? inner : out);
        }
        if (ready.isReadable()) {
            move(fromInner ? inner : out, fromInner ? outwards : inwards, fromInner ? out : inner);
        }
        if (ending) {
            write(inwards, inner);
            close();
            return;
        }
        listen();
    }

    /** Reads and writes until there is no more data: a read that does not fill the buffer got everything. */
    private void move(SocketChannel from, ByteBuffer buffer, SocketChannel to) throws IOException {
        boolean filled = true;
        for (int turn = 0; turn < MAX_TURNS && filled && buffer.hasRemaining(); turn++) {
            ending = from.read(buffer) < 0;
            filled = !ending && !buffer.hasRemaining();
            write(buffer, to);
        }
    }

    private void listen() {
        innerKey.interestOps(interest(outwards, inwards));
        Objects.requireNonNull(outerKey).interestOps(interest(inwards, outwards));
    }

    private static void write(ByteBuffer from, SocketChannel to) throws IOException {
        if (from.position() > 0) {
            from.flip();
            to.write(from);
            from.compact();
        }
    }

    private static int interest(ByteBuffer filledFromHere, ByteBuffer emptiedToHere) {
        return (filledFromHere.hasRemaining() ? SelectionKey.OP_READ : 0)
                | (emptiedToHere.position() > 0 ? SelectionKey.OP_WRITE : 0);
    }

    private void closeOuter() throws IOException {
        if (outer != null) {
            outer.close();
        }
        outer = null;
        outerKey = null;
        open = false;
    }

    void close() throws IOException {
        try {
            inner.close();
        } finally {
            closeOuter();
        }
    }
}
