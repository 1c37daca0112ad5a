package outbox.torture;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A wire between a node and the database: forwards TCP on the loopback interface, and can swallow everything for a
 * while, or be slow and lossy. What was swallowed comes through when the wire is whole again, as TCP would send it anew. Thread-safe.
 */
public final class Link implements AutoCloseable {
    private final ServerSocket entrance;
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile Quality quality = Quality.PERFECT;
    private boolean cut; // guarded by this

    /**
     * How good the wire is. A lost packet is sent again by TCP, so the nodes see it as a pause, which doubles for each
     * further loss of the same packet; everything behind it on its connection waits with it.
     *
     * @param delay one way
     * @param jitter at most so much more
     * @param loss the share of packets that are lost, of 1
     */
    public record Quality(Duration delay, Duration jitter, double loss) {
        public static final Quality PERFECT = new Quality(Duration.ZERO, Duration.ZERO, 0);

        private static final long RETRANSMISSION_MILLIS = 200;

        long pauseMillis() {
            Random random = ThreadLocalRandom.current();
            long pause = delay.toMillis() + (jitter.isZero() ? 0 : random.nextInt((int) jitter.toMillis() + 1));
            for (long again = RETRANSMISSION_MILLIS; random.nextDouble() < loss; again *= 2) {
                pause += again;
            }
            return pause;
        }
    }

    public Link(int target) throws IOException {
        this.target = target;
        this.entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon("link " + target, this::accept);
    }

    public int port() {
        return entrance.getLocalPort();
    }

    public void become(Quality worse) {
        quality = worse;
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
                long pause = quality.pauseMillis();
                if (pause > 0) {
                    Thread.sleep(pause);
                }
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
