package outbox.webhook;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.SchemePortResolver;
import org.apache.hc.client5.http.async.AsyncExecCallback;
import org.apache.hc.client5.http.async.AsyncExecChain;
import org.apache.hc.client5.http.async.AsyncExecRuntime;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.config.TlsConfig;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManager;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.client5.http.nio.AsyncClientConnectionOperator;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.client5.http.ssl.ClientTlsStrategyBuilder;
import org.apache.hc.client5.http.ssl.DefaultHostnameVerifier;
import org.apache.hc.client5.http.ssl.HostnameVerificationPolicy;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.nio.AsyncEntityProducer;
import org.apache.hc.core5.http.nio.entity.BasicAsyncEntityProducer;
import org.apache.hc.core5.http.nio.ssl.TlsStrategy;
import org.apache.hc.core5.http.nio.support.AsyncRequestBuilder;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.pool.PoolConcurrencyPolicy;
import org.apache.hc.core5.pool.PoolReusePolicy;
import org.apache.hc.core5.reactor.IOReactorConfig;
import org.apache.hc.core5.reactor.IOReactorStatus;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;
import outbox.util.DaemonThreadFactory;

/**
 * Runs HTTP/1.1 exchanges on a few I/O threads, with connections of {@link CheckedConnections}. Follows no redirects,
 * keeps no cookies, answers no authentication challenges, uses no proxy and retries nothing. Thread-safe.
 */
final class HttpExchanges implements AutoCloseable {
    private static final Logger LOG = System.getLogger(HttpExchanges.class.getName());
    private static final TimeValue IDLE_LIMIT = TimeValue.ofMinutes(1);
    private static final int MAX_HEADERS = 100;
    private static final int MAX_LINE_LENGTH = 16 * 1024;

    private final Supplier<CloseableHttpAsyncClient> factory;
    private final Executor callbacks;
    private CloseableHttpAsyncClient http; // guarded by this
    private boolean closed; // guarded by this

    HttpExchanges(HostLookups lookups, Duration connectTimeout, @Nullable SSLContext sslContext, Executor callbacks) {
        this.factory = () -> client(lookups, connectTimeout, sslContext);
        this.callbacks = callbacks;
        this.http = factory.get();
    }

    private static CloseableHttpAsyncClient client(
            HostLookups lookups, Duration connectTimeout, @Nullable SSLContext sslContext) {
        CloseableHttpAsyncClient client = HttpAsyncClients.custom()
                .setConnectionManager(connections(lookups, connectTimeout, sslContext))
                .setIOReactorConfig(IOReactorConfig.custom()
                        .setIoThreadCount(Math.min(2, Runtime.getRuntime().availableProcessors()))
                        .build())
                .setThreadFactory(new DaemonThreadFactory("outbox-webhook-io-"))
                .setHttp1Config(Http1Config.custom()
                        .setMaxHeaderCount(MAX_HEADERS)
                        .setMaxLineLength(MAX_LINE_LENGTH)
                        .build())
                .setDefaultRequestConfig(RequestConfig.custom()
                        .setRedirectsEnabled(false)
                        .setAuthenticationEnabled(false)
                        .setProtocolUpgradeEnabled(false)
                        .setContentCompressionEnabled(false)
                        .build())
                .addExecInterceptorFirst("abort", Abort::intercept)
                .disableRedirectHandling()
                .disableAutomaticRetries()
                .disableCookieManagement()
                .disableAuthCaching()
                .evictIdleConnections(IDLE_LIMIT)
                .setIoReactorExceptionCallback(e -> LOG.log(Level.DEBUG, "an I/O thread of the webhooks ended", e))
                .build();
        client.start();
        return client;
    }

    private static PoolingAsyncClientConnectionManager connections(
            HostLookups lookups, Duration connectTimeout, @Nullable SSLContext sslContext) {
        // Both: which one is the default depends on the version, and one alone may find nothing to compare with.
        ClientTlsStrategyBuilder tls = ClientTlsStrategyBuilder.create()
                .setHostVerificationPolicy(HostnameVerificationPolicy.BOTH)
                .setHostnameVerifier(new DefaultHostnameVerifier());
        if (sslContext != null) {
            tls.setSslContext(sslContext);
        }
        return new CheckedConnectionManagerBuilder(lookups)
                .setTlsStrategy(tls.buildAsync())
                .setDefaultTlsConfig(TlsConfig.custom()
                        .setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_1)
                        .build())
                .setDefaultConnectionConfig(ConnectionConfig.custom()
                        .setConnectTimeout(Timeout.of(connectTimeout))
                        .build())
                // The endpoint's concurrency limit bounds the connections, not the pool.
                .setPoolConcurrencyPolicy(PoolConcurrencyPolicy.LAX)
                .setConnPoolPolicy(PoolReusePolicy.LIFO)
                .setMaxConnPerRoute(Integer.MAX_VALUE)
                .build();
    }

    private static final class CheckedConnectionManagerBuilder extends PoolingAsyncClientConnectionManagerBuilder {
        private final HostLookups lookups;

        CheckedConnectionManagerBuilder(HostLookups lookups) {
            this.lookups = lookups;
        }

        @Override
        protected AsyncClientConnectionOperator createConnectionOperator(
                TlsStrategy tls, SchemePortResolver ports, DnsResolver dns) {
            return new CheckedConnections(lookups, super.createConnectionOperator(tls, ports, dns));
        }
    }

    /**
     * Starts an exchange.
     *
     * @param whenDone called on a thread of the executor, with the failure if there is one
     */
    Abort start(HttpPost request, Reply reply, Consumer<@Nullable Exception> whenDone) {
        AsyncRequestBuilder post =
                AsyncRequestBuilder.post(request.url()).setEntity(new BasicAsyncEntityProducer(request.body(), null));
        request.headers().forEach(post::setHeader);
        Abort abort = new Abort();
        abort.exchange = http().execute(post.build(), reply, abort.context(), new FutureCallback<>() {
            @Override
            public void completed(@Nullable Void result) {
                end(null);
            }

            @Override
            public void failed(Exception failure) {
                end(failure);
            }

            @Override
            public void cancelled() {
                end(new CancellationException("the request was cancelled"));
            }

            private void end(@Nullable Exception failure) {
                callbacks.execute(() -> whenDone.accept(failure));
            }
        });
        return abort;
    }

    /**
     * Ends an exchange and closes its connection. Cancelling its future is not enough: on a connection that is used
     * again, that reaches the request for the connection, which has long been answered.
     */
    static final class Abort {
        private static final String ATTRIBUTE = Abort.class.getName();

        private volatile @Nullable Future<?> exchange;
        private volatile @Nullable AsyncExecRuntime connection;

        private Abort() {}

        private HttpClientContext context() {
            HttpClientContext context = HttpClientContext.create();
            context.setAttribute(ATTRIBUTE, this);
            return context;
        }

        private static void intercept(
                HttpRequest request,
                AsyncEntityProducer body,
                AsyncExecChain.Scope scope,
                AsyncExecChain chain,
                AsyncExecCallback callback)
                throws HttpException, IOException {
            if (scope.clientContext.getAttribute(ATTRIBUTE) instanceof Abort abort) {
                abort.connection = scope.execRuntime;
            }
            chain.proceed(request, body, scope, callback);
        }

        void abort() {
            Future<?> running = exchange;
            if (running != null) {
                running.cancel(true);
            }
            AsyncExecRuntime open = connection;
            if (open != null) {
                open.discardEndpoint();
            }
        }
    }

    /** An Error on an I/O thread, such as an OutOfMemoryError, ends the client for good; then there is a new one. */
    private synchronized CloseableHttpAsyncClient http() {
        if (!closed && http.getStatus().compareTo(IOReactorStatus.ACTIVE) > 0) {
            LOG.log(Level.WARNING, "the HTTP client of the webhooks ended unexpectedly; starting a new one");
            http.close(CloseMode.IMMEDIATE);
            http = factory.get();
        }
        return http;
    }

    /** Closes all connections. */
    @Override
    public synchronized void close() {
        closed = true;
        http.close(CloseMode.IMMEDIATE);
    }
}
