package outbox.webhook;

import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import outbox.util.DaemonThreadFactory;

/**
 * Sends the requests of all webhook endpoints of a process, with a few threads, any number of requests in flight, and
 * protection against server-side request forgery. Thread-safe. Close it after the outbox.
 *
 * <pre>{@code
 * WebhookClient client = WebhookClient.builder().build();
 * registry.register("Order", "order.placed", client.publisher(endpoint).controlled().build());
 * }</pre>
 */
public final class WebhookClient implements AutoCloseable {
    public static final Duration DEFAULT_CONNECT_TIMEOUT = Duration.ofSeconds(5);

    private static final int RESOLVER_THREADS = 8;

    private final DestinationGuard guard;
    private final InstantSource clock;
    private final ThreadPoolExecutor resolvers;
    private final ThreadPoolExecutor callbacks;
    private final ScheduledThreadPoolExecutor timer;
    private final HttpExchanges http;
    /** Cancels everything that waits for the timer or a reply; entries are removed when they complete. */
    private final Set<Consumer<IOException>> open = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    private WebhookClient(Builder builder) {
        this.guard = new DestinationGuard(new AddressRules(builder.allowed), builder.httpAllowed, builder.resolver);
        this.clock = builder.clock;
        this.resolvers = threads("outbox-webhook-resolver-", RESOLVER_THREADS);
        this.callbacks = threads(
                "outbox-webhook-", Math.max(2, Math.min(8, Runtime.getRuntime().availableProcessors())));
        this.timer = new ScheduledThreadPoolExecutor(1, new DaemonThreadFactory("outbox-webhook-timer-"));
        timer.setRemoveOnCancelPolicy(true);
        this.http = new HttpExchanges(
                new HostLookups(guard, resolvers), builder.connectTimeout, builder.sslContext, callbacks);
    }

    private static ThreadPoolExecutor threads(String name, int count) {
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                count, count, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), new DaemonThreadFactory(name));
        executor.allowCoreThreadTimeOut(true); // idle threads end, also after close
        return executor;
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * Creates the listener of one endpoint.
     *
     * @throws IllegalArgumentException if the endpoint's URL is not allowed
     */
    public WebhookPublisher publisher(WebhookEndpoint endpoint) {
        guard.check(endpoint.url());
        return new WebhookPublisher(endpoint, this, clock);
    }

    /**
     * The answer to a {@link #post}.
     *
     * @param body its beginning, a few kilobytes at most
     */
    public record Answer(int status, String body) {}

    /**
     * Sends one JSON document with the same protection as webhooks, for other senders such as alerts. It is not signed
     * and not retried.
     *
     * @throws IllegalArgumentException if the URL is not allowed
     */
    public CompletionStage<Answer> post(URI url, Map<String, String> headers, byte[] body, Duration timeout) {
        guard.check(url);
        Map<String, String> all = new LinkedHashMap<>();
        all.put("content-type", "application/json; charset=utf-8");
        all.put("user-agent", SignedRequest.USER_AGENT);
        headers.forEach((name, value) -> all.put(name.toLowerCase(Locale.ROOT), value));
        return send(new HttpPost(url, all, body), timeout)
                .thenApply(reply -> new Answer(reply.statusCode(), reply.beginning()));
    }

    /** Checks whether the URL is allowed, without resolving its host. */
    public void check(URI url) {
        guard.check(url);
    }

    /** Completes after the delay; exceptionally if the client is closed before. */
    CompletionStage<?> after(long nanos) {
        CompletableFuture<Object> due = new CompletableFuture<>();
        Consumer<IOException> giveUp = due::completeExceptionally;
        ScheduledFuture<?> unused = schedule(giveUp, nanos, () -> {
            open.remove(giveUp);
            due.complete(this);
        });
        return due;
    }

    /** @param giveUp called instead if the client is or gets closed */
    private @Nullable ScheduledFuture<?> schedule(Consumer<IOException> giveUp, long nanos, Runnable task) {
        open.add(giveUp); // added first, so that close finds everything that was scheduled
        try {
            return timer.schedule(() -> callbacks.execute(task), nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            open.remove(giveUp);
            giveUp.accept(closedException());
            return null;
        }
    }

    private static IOException closedException() {
        return new IOException("the webhook client is closed");
    }

    /** @return completes with the reply; exceptionally if there is none in time */
    CompletionStage<Reply> send(HttpPost request, Duration timeout) {
        if (closed) {
            return CompletableFuture.failedFuture(closedException());
        }
        Reply reply = new Reply();
        CompletableFuture<Reply> result = new CompletableFuture<>();
        CompletableFuture<HttpExchanges.Abort> exchange = new CompletableFuture<>();
        Consumer<IOException> giveUp = why -> {
            settle(result, reply, why);
            CompletableFuture<?> unused = exchange.thenAccept(HttpExchanges.Abort::abort);
        };
        ScheduledFuture<?> deadline = schedule(
                giveUp,
                timeout.toNanos(),
                () -> giveUp.accept(new SocketTimeoutException("no reply within " + timeout)));
        Consumer<@Nullable Exception> whenDone = failure -> {
            open.remove(giveUp);
            if (deadline != null) {
                deadline.cancel(false);
            }
            settle(result, reply, failure);
        };
        try {
            exchange.complete(http.start(request, reply, whenDone));
        } catch (RuntimeException e) {
            whenDone.accept(e);
        }
        return result;
    }

    /** A status counts, whatever happens to the body. */
    private static void settle(CompletableFuture<Reply> result, Reply reply, @Nullable Exception failure) {
        if (reply.hasBegun()) {
            result.complete(reply);
        } else if (failure instanceof IOException) {
            result.completeExceptionally(failure);
        } else {
            String why = failure == null ? "no reply" : String.valueOf(failure.getMessage());
            result.completeExceptionally(new IOException(why, failure));
        }
    }

    /** Closes all connections; requests in flight and waiting requests fail. */
    @Override
    public void close() {
        closed = true;
        timer.shutdownNow();
        open.forEach(giveUp -> giveUp.accept(closedException()));
        open.clear();
        http.close();
        resolvers.shutdown();
    }

    /** Collects the settings of a client; not thread-safe. */
    public static final class Builder {
        private final List<Cidr> allowed = new ArrayList<>();
        private boolean httpAllowed;
        private @Nullable SSLContext sslContext;
        private Duration connectTimeout = DEFAULT_CONNECT_TIMEOUT;
        private InstantSource clock = Clock.systemUTC();
        private HostResolver resolver = InetAddress::getAllByName;

        private Builder() {}

        /**
         * Private or reserved blocks of addresses, such as {@code 10.20.0.0/16}, that requests may connect to; default:
         * none.
         */
        public Builder allowAddresses(String... blocks) {
            for (String block : blocks) {
                allowed.add(Cidr.parse(block));
            }
            return this;
        }

        /** Allows plain HTTP: requests are still signed, but anyone on the network can read the events. */
        public Builder allowHttp() {
            this.httpAllowed = true;
            return this;
        }

        /** For receivers whose certificates are not signed by a public authority; default: the JDK's. */
        public Builder sslContext(SSLContext sslContext) {
            this.sslContext = Objects.requireNonNull(sslContext, "sslContext");
            return this;
        }

        /**
         * Connect timeout for each address of a receiver; default 5 s. The endpoint's timeout limits the whole request.
         */
        public Builder connectTimeout(Duration connectTimeout) {
            if (connectTimeout.isNegative() || connectTimeout.isZero()) {
                throw new IllegalArgumentException("connectTimeout must be positive: " + connectTimeout);
            }
            this.connectTimeout = connectTimeout;
            return this;
        }

        /** Clock for signed timestamps; default: the system clock. */
        public Builder clock(InstantSource clock) {
            this.clock = Objects.requireNonNull(clock, "clock");
            return this;
        }

        Builder resolver(HostResolver resolver) {
            this.resolver = resolver;
            return this;
        }

        public WebhookClient build() {
            return new WebhookClient(this);
        }
    }
}
