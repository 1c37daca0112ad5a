package outbox.cdc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A way to a server that can forget the connections it carries, as a firewall does: neither end hears a word any more, not
 * even that the other one is gone. New connections work.
 */
final class ForgetfulLink implements AutoCloseable {
    private final ServerSocket entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final int target;
    private volatile Object memory = new Object();

    ForgetfulLink(int target) throws IOException {
        this.target = target;
        start(this::accept);
    }

    int port() {
        return entrance.getLocalPort();
    }

    void forget() {
        memory = new Object();
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = entrance.accept();
            Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
            Object remembered = memory;
            sockets.add(client);
            sockets.add(server);
            start(() -> carry(client, server, remembered));
            start(() -> carry(server, client, remembered));
        }
    }

    private void carry(Socket from, Socket to, Object remembered) throws IOException {
        byte[] bytes = new byte[8192];
        for (int count = from.getInputStream().read(bytes);
                count >= 0;
                count = from.getInputStream().read(bytes)) {
            if (memory == remembered) {
                to.getOutputStream().write(bytes, 0, count);
            }
        }
        if (memory == remembered) {
            to.close();
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void start(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException e) {
                // one end is closed
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            entrance.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
