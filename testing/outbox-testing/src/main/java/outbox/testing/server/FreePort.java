package outbox.testing.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Finds a port on the loopback interface for a server to listen on.
 *
 * <p>The port lies below the ranges from which operating systems take ports for outgoing connections. Otherwise a
 * stranger's connection could sit on it in the moment between the crash of a server and its restart.
 *
 * <p>No port is found twice while the JVM that found it runs, by whatever JVM of the user: seconds may pass before a
 * server listens on it.
 */
public final class FreePort {

    static final String LOOPBACK = "127.0.0.1";

    private static final byte[] LOOPBACK_BYTES = {127, 0, 0, 1};
    private static final int LOWEST = 20_000;
    private static final int HIGHEST = 32_000;
    private static final int ATTEMPTS = 200;

    private static final Set<Integer> FOUND = new HashSet<>();
    private static @Nullable FileChannel locks;

    private FreePort() {}

    /** @throws IllegalStateException if too many of them are taken */
    public static int find() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
            if (reserve(port) && isFree(port)) {
                return port;
            }
        }
        throw new IllegalStateException("None of " + ATTEMPTS + " ports tried between " + LOWEST + " and " + HIGHEST
                + " is free on " + LOOPBACK);
    }

    static InetAddress loopback() throws IOException {
        return InetAddress.getByAddress(LOOPBACK_BYTES);
    }

    private static synchronized boolean reserve(int port) {
        if (!FOUND.add(port)) {
            return false;
        }
        try {
            if (locks == null) {
                String name = "outbox-ports-" + System.getProperty("user.name");
                locks = FileChannel.open(
                        Path.of(System.getProperty("java.io.tmpdir"), name),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE);
            }
            return locks.tryLock(port, 1, false) != null; // held until the JVM ends
        } catch (IOException e) {
            return true; // no locks here: that nobody listens on the port has to do
        }
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
