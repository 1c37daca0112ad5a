package outbox.webhook;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Resolves and checks names on separate threads, because that blocks. Concurrent requests for one name share one
 * lookup, so that an unresponsive name server blocks one thread, not all. Results are not cached. Thread-safe.
 */
final class HostLookups {
    private final DestinationGuard guard;
    private final Executor threads;
    private final ConcurrentHashMap<String, CompletableFuture<List<InetAddress>>> running = new ConcurrentHashMap<>();

    HostLookups(DestinationGuard guard, Executor threads) {
        this.guard = guard;
        this.threads = threads;
    }

    /** @return the addresses to connect to; fails with an {@link IOException}, itself and not wrapped */
    CompletableFuture<List<InetAddress>> addressesOf(String host) {
        CompletableFuture<List<InetAddress>> lookup = new CompletableFuture<>();
        CompletableFuture<List<InetAddress>> other = running.putIfAbsent(host, lookup);
        if (other != null) {
            return other;
        }
        try {
            threads.execute(() -> look(host, lookup));
        } catch (RejectedExecutionException e) {
            running.remove(host);
            lookup.completeExceptionally(new IOException("the webhook client is closed", e));
        }
        return lookup;
    }

    private void look(String host, CompletableFuture<List<InetAddress>> lookup) {
        try {
            List<InetAddress> addresses = guard.resolve(host);
            running.remove(host);
            lookup.complete(addresses);
        } catch (IOException e) {
            running.remove(host);
            lookup.completeExceptionally(e);
        } catch (RuntimeException | Error e) {
            running.remove(host);
            lookup.completeExceptionally(new IOException("could not resolve " + host, e));
        }
    }
}
