package outbox.rabbitmq;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Ports below the range that systems take those of outgoing connections from, so that one is free again after a crash. */
final class FreePort {
    private FreePort() {}

    static int find() {
        for (int attempt = 0; attempt < 100; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"))) {
                return socket.getLocalPort();
            } catch (IOException e) {
                continue; // taken
            }
        }
        throw new IllegalStateException("no free port");
    }
}
