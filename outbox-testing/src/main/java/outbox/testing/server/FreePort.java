package outbox.testing.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds a port on the loopback interface for a server to listen on.
 *
 * <p>The port lies below the ranges from which operating systems take ports for outgoing connections. Otherwise a
 * stranger's connection could sit on it in the moment between the crash of a server and its restart.
 */
final class FreePort {

    static final String LOOPBACK = "127.0.0.1";

    private static final byte[] LOOPBACK_BYTES = {127, 0, 0, 1};
    private static final int LOWEST = 20_000;
    private static final int HIGHEST = 32_000;
    private static final int ATTEMPTS = 200;

    private FreePort() {}

    static int find() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
            if (isFree(port)) {
                return port;
            }
        }
        throw new IllegalStateException("None of " + ATTEMPTS + " ports tried between " + LOWEST + " and " + HIGHEST
                + " is free on " + LOOPBACK);
    }

    static InetAddress loopback() throws IOException {
        return InetAddress.getByAddress(LOOPBACK_BYTES);
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(loopback(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
