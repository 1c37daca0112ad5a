package outbox.rabbitmq;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import outbox.testing.server.FreePort;

/** Stands before a broker and can stall all traffic, or end all connections and refuse new ones. */
final class StallingProxy implements AutoCloseable {
    private final int target;
    private final int port = FreePort.find();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final Object lock = new Object();
    private boolean stalled; // guarded by lock
    private volatile ServerSocket door;

    StallingProxy(int target) {
        this.target = target;
        try {
            this.door = new ServerSocket(port, 50, InetAddress.getByName("127.0.0.1"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        accept(door);
    }

    int port() {
        return port;
    }

    private void accept(ServerSocket from) {
        start(() -> {
            while (!from.isClosed()) {
                Socket outer = from.accept();
                Socket inner = new Socket("127.0.0.1", target);
                sockets.add(outer);
                sockets.add(inner);
                start(() -> pump(outer, inner));
                start(() -> pump(inner, outer));
            }
        });
    }

    @FunctionalInterface
    private interface Work {
        void run() throws IOException, InterruptedException;
    }

    private static void start(Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException | InterruptedException e) {
                        // a side has ended
                    }
                },
                "stalling-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void pump(Socket from, Socket to) throws IOException, InterruptedException {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[16 * 1024];
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                synchronized (lock) {
                    while (stalled) {
                        lock.wait();
                    }
                }
                out.write(buffer, 0, count);
            }
        }
    }

    void stall(boolean on) {
        synchronized (lock) {
            stalled = on;
            lock.notifyAll();
        }
    }

    /** Ends all connections and refuses new ones. */
    void shut() {
        try {
            door.close();
            for (Socket socket : new ArrayList<>(sockets)) {
                socket.close();
            }
            sockets.clear();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void open() {
        try {
            ServerSocket again = new ServerSocket();
            again.setReuseAddress(true);
            again.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port));
            door = again;
            accept(again);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        stall(false);
        shut();
    }
}
