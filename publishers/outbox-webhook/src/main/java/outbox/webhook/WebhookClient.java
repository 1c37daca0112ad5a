package outbox.webhook;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpTimeoutException;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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

    /** Destination of the request that this thread is passing to the HTTP client, see {@link CheckedRoute}. */
    private static final ThreadLocal<InetAddress> DESTINATION = new ThreadLocal<>();

    private final DestinationGuard guard;
    private final InstantSource clock;
    private final ThreadPoolExecutor resolvers;
    private final ThreadPoolExecutor callbacks;
    private final ScheduledThreadPoolExecutor timer;
    private final HostLookups lookups;
    private final EgressRelay relay;
    private final HttpClient http;
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
        this.lookups = new HostLookups(guard, resolvers);
        this.relay = new EgressRelay(lookups, builder.connectTimeout);
        HttpClient.Builder client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(builder.connectTimeout)
                .executor(callbacks)
                .proxy(new CheckedRoute());
        if (builder.sslContext != null) {
            client.sslContext(builder.sslContext);
        }
        this.http = client.build();
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
        HttpRequest.Builder request = HttpRequest.newBuilder(url)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .setHeader("content-type", "application/json; charset=utf-8")
                .setHeader("user-agent", SignedRequest.USER_AGENT);
        headers.forEach(request::setHeader);
        return send(url, request, timeout).thenApply(reply -> new Answer(reply.statusCode(), reply.beginning()));
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

    /**
     * @param url the URL of the request
     * @return completes with the reply when its status is known; exceptionally on timeout
     */
    CompletionStage<Reply> send(URI url, HttpRequest.Builder request, Duration timeout) {
        if (closed) {
            return CompletableFuture.failedFuture(closedException());
        }
        Reply reply = new Reply();
        CompletableFuture<Reply> result = new CompletableFuture<>();
        CompletableFuture<?> exchange = start(url, request, reply);
        Consumer<IOException> giveUp = why -> {
            settle(result, reply, why);
            exchange.cancel(true);
        };
        ScheduledFuture<?> deadline = schedule(
                giveUp, timeout.toNanos(), () -> giveUp.accept(new HttpTimeoutException("no reply within " + timeout)));
        CompletableFuture<?> unused = exchange.whenComplete((ignored, failure) -> {
            open.remove(giveUp);
            if (deadline != null) {
                deadline.cancel(false);
            }
            settle(result, reply, failure);
        });
        // The request completes here, with the reply. The HTTP client would complete it on the common pool, which may
        // be busy, or on a new thread per request on machines with one or two processors.
        CompletionStage<?> unused2 = reply.end().thenRun(() -> exchange.complete(null));
        return result.exceptionallyCompose(failure -> CompletableFuture.failedFuture(reason(url, failure)));
    }

    private CompletableFuture<?> start(URI url, HttpRequest.Builder request, Reply reply) {
        if (isHttps(url)) {
            request.setHeader("proxy-authorization", relay.authorization());
            return http.sendAsync(request.build(), reply);
        }
        if (HostName.literal(url.getHost()) != null) {
            return http.sendAsync(request.build(), reply);
        }
        CompletableFuture<Object> exchange = new CompletableFuture<>();
        CompletableFuture<?> unused = lookups.addressesOf(url.getHost()).whenComplete((addresses, failure) -> {
            if (failure != null) {
                exchange.completeExceptionally(failure);
            } else if (!exchange.isDone()) {
                sendTo(addresses.get(0), request, reply, exchange);
            }
        });
        return exchange;
    }

    private void sendTo(
            InetAddress address, HttpRequest.Builder request, Reply reply, CompletableFuture<Object> exchange) {
        DESTINATION.set(address);
        try {
            CompletableFuture<?> sent = http.sendAsync(request.build(), reply);
            CompletableFuture<?> unused = exchange.whenComplete((ignored, failure) -> {
                if (exchange.isCancelled()) {
                    sent.cancel(true);
                } else {
                    sent.complete(null);
                }
            });
            CompletableFuture<?> unused2 = sent.whenComplete((response, failure) -> {
                if (failure == null) {
                    exchange.complete(response);
                } else {
                    exchange.completeExceptionally(failure);
                }
            });
        } catch (RuntimeException e) {
            exchange.completeExceptionally(e);
        } finally {
            DESTINATION.remove();
        }
    }

    private static void settle(CompletableFuture<Reply> result, Reply reply, @Nullable Throwable failure) {
        if (reply.hasBegun()) {
            result.complete(reply);
        } else {
            result.completeExceptionally(failure == null ? new IOException("no reply") : failure);
        }
    }

    /** The cause, without wrappers. */
    private Throwable reason(URI url, Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof Unreachable unreachable) {
            return unreachable.reason;
        }
        IOException noTunnel = cause instanceof IOException && !(cause instanceof HttpTimeoutException)
                ? relay.failureOf(url.getHost(), url.getPort() < 0 ? 443 : url.getPort())
                : null;
        return noTunnel == null ? cause : noTunnel;
    }

    private static boolean isHttps(URI url) {
        return url.getScheme().toLowerCase(Locale.ROOT).equals("https");
    }

    /** Closes all connections; requests in flight and waiting requests fail. */
    @Override
    public void close() {
        closed = true;
        timer.shutdownNow();
        open.forEach(giveUp -> giveUp.accept(closedException()));
        open.clear();
        relay.close();
        resolvers.shutdown();
    }

    /** Unchecked wrapper for places where the HTTP client allows no checked exceptions. */
    private static final class Unreachable extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final IOException reason;

        Unreachable(IOException reason) {
            super(reason);
            this.reason = reason;
        }
    }

    /**
     * Sends HTTPS through the relay. Plain HTTP connects directly to the checked address, as to a proxy: the request
     * line then contains the full URL, which every HTTP/1.1 server accepts. In both cases the client resolves no names.
     */
    private final class CheckedRoute extends ProxySelector {
        @Override
        public List<Proxy> select(URI url) {
            return List.of(new Proxy(Proxy.Type.HTTP, isHttps(url) ? relay.address() : checkedAddress(url)));
        }

        private InetSocketAddress checkedAddress(URI url) {
            try {
                InetAddress known = DESTINATION.get(); // called on the sending thread
                return new InetSocketAddress(
                        known == null ? guard.resolve(url.getHost()).get(0) : known,
                        url.getPort() < 0 ? 80 : url.getPort());
            } catch (IOException e) {
                throw new Unreachable(e);
            }
        }

        @Override
        public void connectFailed(URI url, SocketAddress address, IOException failure) {}
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
