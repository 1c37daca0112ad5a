package outbox.benchmark.publisher;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Locale;
import java.util.Queue;

/**
 * Answers every HTTP request with 204 after the same time. One thread for all connections: it shares the machine with
 * what is measured, and a thread for each would take more of it than the sender does.
 */
final class SlowReceiver implements AutoCloseable {
    private static final byte[] ANSWER = "HTTP/1.1 204 No Content\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final String LENGTH = "content-length:";
    private static final int BUFFER_BYTES = 64 * 1024;

    private final long latencyNanos;
    private final Selector selector = Selector.open();
    private final ServerSocketChannel door = ServerSocketChannel.open();
    private final Queue<Due> answers = new ArrayDeque<>(); // in the order of their time: all wait equally long
    private volatile boolean closed;

    private record Due(long at, SocketChannel to) {}

    SlowReceiver(Duration latency) throws IOException {
        this.latencyNanos = latency.toNanos();
        door.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
        door.configureBlocking(false);
        door.register(selector, SelectionKey.OP_ACCEPT);
        Thread thread = new Thread(this::run, "slow-receiver");
        thread.setDaemon(true);
        thread.start();
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + door.socket().getLocalPort() + "/");
    }

    private void run() {
        try (selector;
                door) {
            while (!closed) {
                Due next = answers.peek();
                if (next == null) {
                    selector.select(this::serve);
                } else {
                    long left = next.at() - System.nanoTime();
                    selector.select(this::serve, Math.max(1, (left + 999_999) / 1_000_000));
                }
                answerWhatIsDue();
            }
        } catch (IOException e) {
            throw new IllegalStateException("the receiver of webhooks failed", e);
        }
    }

    private void serve(SelectionKey key) {
        try {
            if (key.isAcceptable()) {
                accept();
            } else {
                read((SocketChannel) key.channel(), (ByteBuffer) key.attachment());
            }
        } catch (IOException e) {
            key.cancel(); // the sender has gone
        }
    }

    private void accept() throws IOException {
        SocketChannel accepted = door.accept();
        accepted.configureBlocking(false);
        accepted.socket().setTcpNoDelay(true);
        accepted.register(selector, SelectionKey.OP_READ, ByteBuffer.allocate(BUFFER_BYTES));
    }

    private void read(SocketChannel from, ByteBuffer buffer) throws IOException {
        if (from.read(buffer) < 0) {
            from.close();
            return;
        }
        String text =
                StandardCharsets.ISO_8859_1.decode(buffer.duplicate().flip()).toString();
        int body = text.indexOf("\r\n\r\n") + 4;
        if (body >= 4 && text.length() - body >= contentLength(text.substring(0, body))) {
            buffer.clear(); // one request at a time: the sender waits for its answer
            answers.add(new Due(System.nanoTime() + latencyNanos, from));
        }
    }

    private static int contentLength(String head) {
        String lower = head.toLowerCase(Locale.ROOT);
        int start = lower.indexOf(LENGTH) + LENGTH.length();
        return Integer.parseInt(
                lower.substring(start, lower.indexOf('\r', start)).strip());
    }

    private void answerWhatIsDue() throws IOException {
        long now = System.nanoTime();
        for (Due next = answers.peek(); next != null && next.at() - now <= 0; next = answers.peek()) {
            answers.remove();
            next.to().write(ByteBuffer.wrap(ANSWER));
        }
    }

    @Override
    public void close() {
        closed = true;
        selector.wakeup();
    }
}
