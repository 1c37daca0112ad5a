package outbox.torture;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A wire between a node and the database: forwards TCP on the loopback interface, and can swallow everything for a
 * while. What was swallowed comes through when the wire is whole again, as TCP would send it anew. Thread-safe.
 */
public final class Link implements AutoCloseable {
    private final ServerSocket entrance;
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private boolean cut; // guarded by this

    public Link(int target) throws IOException {
        this.target = target;
        this.entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon("link " + target, this::accept);
    }

    public int port() {
        return entrance.getLocalPort();
    }

    /** From now on nothing arrives, in either direction; nobody is told. */
    public synchronized void cut() {
        cut = true;
    }

    public synchronized void mend() {
        cut = false;
        notifyAll();
    }

    private synchronized void awaitWhole() throws InterruptedException {
        while (cut) {
            wait();
        }
    }

    private void accept() {
        while (!entrance.isClosed()) {
            try {
                Socket client = entrance.accept();
                sockets.add(client);
                daemon("link " + client.getPort(), () -> connect(client));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void connect(Socket client) {
        try {
            awaitWhole();
            Socket server = new Socket();
            server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
            sockets.add(server);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            daemon("link up " + client.getPort(), () -> forward(client, server));
            forward(server, client);
        } catch (IOException | InterruptedException e) {
            drop(client);
        }
    }

    private void forward(Socket from, Socket to) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[16 * 1024];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                awaitWhole();
                out.write(buffer, 0, n);
            }
        } catch (IOException | InterruptedException e) {
            // one side is gone, so the other goes too
        } finally {
            drop(from);
            drop(to);
        }
    }

    private void drop(Socket socket) {
        sockets.remove(socket);
        try {
            socket.close();
        } catch (IOException e) {
            // nothing is left to be closed
        }
    }

    private static void daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        entrance.close();
        mend();
        sockets.forEach(this::drop);
    }
}
