package outbox.webhook;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/** Listens on all interfaces and counts who connects. */
final class CountingServer implements AutoCloseable {
    private final ServerSocket socket;
    private final AtomicInteger connections = new AtomicInteger();

    CountingServer() {
        try {
            this.socket = new ServerSocket(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread thread = new Thread(this::count, "counting-server");
        thread.setDaemon(true);
        thread.start();
    }

    private void count() {
        while (true) {
            try (Socket accepted = socket.accept()) {
                connections.incrementAndGet();
            } catch (IOException e) {
                return;
            }
        }
    }

    int port() {
        return socket.getLocalPort();
    }

    int connections() {
        return connections.get();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
