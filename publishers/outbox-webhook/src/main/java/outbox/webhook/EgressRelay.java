package outbox.webhook;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * A loopback proxy for all HTTPS requests. The JDK's HTTP client resolves names itself and offers no hook, so a name
 * could pass the check and then resolve to another address. With a proxy the client does not resolve names: it requests
 * a tunnel from this relay, which resolves the name, checks every address, and connects to a checked one. TLS runs end
 * to end inside the tunnel, with the name for SNI and certificate.
 *
 * <p>One thread copies the bytes of all tunnels; names are resolved on other threads, because that blocks. Clients must
 * send a random secret that never leaves this process. Thread-safe.
 */
final class EgressRelay implements AutoCloseable {
    private static final Logger LOG = System.getLogger(EgressRelay.class.getName());
    /** Longer than any request may take: a tunnel without traffic for this long is unused. */
    static final Duration IDLE_LIMIT = WebhookEndpoint.MAX_TIMEOUT.multipliedBy(2);

    private static final int BACKLOG = 1024;
    private static final long SWEEP_MILLIS = 500;

    private final HostLookups lookups;
    private final long connectNanos;
    private final String authorization;
    private final Selector selector;
    private final ServerSocketChannel door;
    private final SelectionKey doorKey;
    private final InetSocketAddress address;
    private final Queue<Runnable> toDo = new ConcurrentLinkedQueue<>();
    /** Why the last connection to a destination failed; the HTTP client only reports that there is no tunnel. */
    private final Map<String, IOException> failures = new ConcurrentHashMap<>();

    private long failedAccepts; // consecutive; only used by the relay's thread
    private volatile boolean closed;

    EgressRelay(HostLookups lookups, Duration connectTimeout) {
        this.lookups = lookups;
        this.connectNanos = connectTimeout.toNanos();
        byte[] word = new byte[32];
        new SecureRandom().nextBytes(word);
        this.authorization = "Outbox " + HexFormat.of().formatHex(word);
        try {
            this.selector = Selector.open();
            this.door = ServerSocketChannel.open();
            door.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
            door.configureBlocking(false);
            this.doorKey = door.register(selector, SelectionKey.OP_ACCEPT);
            this.address = (InetSocketAddress) door.getLocalAddress();
        } catch (IOException e) {
            throw new UncheckedIOException("the webhook relay cannot listen on the loopback interface", e);
        }
        Thread thread = new Thread(this::run, "outbox-webhook-relay");
        thread.setDaemon(true);
        thread.start();
    }

    InetSocketAddress address() {
        return address;
    }

    /** The required value of {@code Proxy-Authorization}. */
    String authorization() {
        return authorization;
    }

    /** Why there was no tunnel, if the last attempt to open one failed. */
    @Nullable
    IOException failureOf(String host, int port) {
        return failures.get(host + ":" + port);
    }

    private void run() {
        long sweptAt = System.nanoTime();
        while (!closed) {
            try {
                selector.select(SWEEP_MILLIS);
                for (Runnable task = toDo.poll(); task != null; task = toDo.poll()) {
                    task.run();
                }
                List<SelectionKey> ready = new ArrayList<>(selector.selectedKeys());
                selector.selectedKeys().clear();
                ready.forEach(this::serve);
                if (System.nanoTime() - sweptAt > SWEEP_MILLIS * 1_000_000) {
                    sweptAt = System.nanoTime();
                    sweep(sweptAt);
                    doorKey.interestOps(SelectionKey.OP_ACCEPT);
                }
            } catch (IOException | RuntimeException e) {
                LOG.log(Level.WARNING, "unexpected error in the webhook relay; it continues", e);
            }
        }
        closeAll();
    }

    private void serve(SelectionKey key) {
        if (!(key.attachment() instanceof Tunnel tunnel)) {
            accept();
            return;
        }
        try {
            if (!key.isValid()) {
                return;
            }
            long now = System.nanoTime();
            if (key.isConnectable()) {
                finishConnect(tunnel, now);
            } else if (tunnel.isOpen()) {
                tunnel.pass(key, now);
            } else if (tunnel.request() == null && tunnel.readRequest(authorization, now)) {
                resolve(tunnel);
            }
        } catch (IOException | CancelledKeyException e) {
            LOG.log(Level.DEBUG, "tunnel to " + tunnel.request() + " ended", e);
            end(tunnel);
        }
    }

    private void accept() {
        try {
            for (SocketChannel client = door.accept(); client != null; client = door.accept()) {
                client.configureBlocking(false);
                client.socket().setTcpNoDelay(true);
                Tunnel unused = new Tunnel(client, selector, System.nanoTime());
                accepted();
            }
        } catch (IOException e) {
            notAccepted(e);
        }
    }

    private void accepted() {
        if (failedAccepts > 0) {
            LOG.log(
                    Level.INFO,
                    "the webhook relay accepts connections again, after " + failedAccepts + " failed attempts");
            failedAccepts = 0;
        }
    }

    /**
     * Without free file descriptors the connection stays pending and the selector would report it again at once, so the
     * relay retries after a while. Logged at growing intervals.
     */
    private void notAccepted(IOException failure) {
        doorKey.interestOps(0);
        failedAccepts++;
        if (Long.bitCount(failedAccepts) == 1) {
            LOG.log(
                    Level.WARNING,
                    "the webhook relay could not accept a connection of its HTTP client (" + failedAccepts
                            + " consecutive failures); retrying every " + SWEEP_MILLIS
                            + " ms; new connections to receivers wait until then or time out",
                    failure);
        }
    }

    private void resolve(Tunnel tunnel) {
        ConnectRequest request = tunnel.request();
        if (request == null) {
            return;
        }
        CompletableFuture<?> unused = lookups.addressesOf(request.host())
                .whenComplete((addresses, failure) -> onRelayThread(() -> {
                    if (failure == null) {
                        connect(tunnel, addresses);
                    } else {
                        refuse(tunnel, (IOException) failure);
                    }
                }));
    }

    private void onRelayThread(Runnable task) {
        toDo.add(task);
        selector.wakeup();
    }

    private void connect(Tunnel tunnel, List<InetAddress> addresses) {
        tunnel.setAddresses(addresses);
        connectToNext(tunnel, new IOException("the connection was closed"));
    }

    private void finishConnect(Tunnel tunnel, long now) {
        try {
            tunnel.finishConnect(now);
        } catch (IOException e) {
            connectToNext(tunnel, e);
        }
        established(tunnel);
    }

    /** @param failure why the previous address failed */
    private void connectToNext(Tunnel tunnel, IOException failure) {
        IOException last = failure;
        while (tunnel.hasMoreAddresses()) {
            try {
                tunnel.connectToNext(System.nanoTime());
                established(tunnel);
                return;
            } catch (IOException e) {
                last = e;
            }
        }
        refuse(tunnel, new IOException("no connection to " + tunnel.request() + ": " + last.getMessage(), last));
    }

    private void established(Tunnel tunnel) {
        if (tunnel.isOpen()) {
            failures.remove(String.valueOf(tunnel.request()));
        }
    }

    private void refuse(Tunnel tunnel, IOException why) {
        failures.put(String.valueOf(tunnel.request()), why);
        try {
            tunnel.refuse();
        } catch (IOException e) {
            end(tunnel);
        }
    }

    private void sweep(long now) {
        for (SelectionKey key : new ArrayList<>(selector.keys())) {
            if (key.attachment() instanceof Tunnel tunnel) {
                long quiet = now - tunnel.activeAt();
                if (tunnel.isConnecting() && quiet > connectNanos) {
                    connectToNext(tunnel, new IOException("no answer within " + Duration.ofNanos(connectNanos)));
                } else if (quiet > IDLE_LIMIT.toNanos()) {
                    end(tunnel);
                }
            }
        }
    }

    private static void end(Tunnel tunnel) {
        try {
            tunnel.close();
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "error while closing a tunnel", e);
        }
    }

    /** Closes all connections. */
    @Override
    public void close() {
        closed = true;
        selector.wakeup();
    }

    private void closeAll() {
        try (door;
                Selector closing = selector) {
            for (SelectionKey key : closing.keys()) {
                key.channel().close();
            }
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "error while closing the webhook relay", e);
        }
    }
}
