package outbox.webhook;

import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.hc.client5.http.nio.AsyncClientConnectionOperator;
import org.apache.hc.client5.http.nio.ManagedAsyncClientConnection;
import org.apache.hc.core5.concurrent.ComplexFuture;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.net.NamedEndpoint;
import org.apache.hc.core5.reactor.ConnectionInitiator;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * Opens the connections of the HTTP client: resolves the name once on a thread of its own, checks every address, and
 * connects to a checked address. So a name cannot pass the check and then resolve to another address. TLS still uses
 * the name, for SNI and for the certificate. Thread-safe.
 */
final class CheckedConnections implements AsyncClientConnectionOperator {
    private final HostLookups lookups;
    private final AsyncClientConnectionOperator operator;

    CheckedConnections(HostLookups lookups, AsyncClientConnectionOperator operator) {
        this.lookups = lookups;
        this.operator = operator;
    }

    @Override
    public Future<ManagedAsyncClientConnection> connect(
            ConnectionInitiator initiator,
            HttpHost host,
            @Nullable SocketAddress localAddress,
            @Nullable Timeout connectTimeout,
            @Nullable Object attachment,
            FutureCallback<ManagedAsyncClientConnection> callback) {
        return connect(initiator, host, null, localAddress, connectTimeout, attachment, null, callback);
    }

    @Override
    public Future<ManagedAsyncClientConnection> connect(
            ConnectionInitiator initiator,
            HttpHost host,
            @Nullable NamedEndpoint tlsName,
            @Nullable SocketAddress localAddress,
            @Nullable Timeout connectTimeout,
            @Nullable Object attachment,
            @Nullable HttpContext context,
            FutureCallback<ManagedAsyncClientConnection> callback) {
        ComplexFuture<ManagedAsyncClientConnection> connection = new ComplexFuture<>(callback);
        Connect connect = (address, next) -> operator.connect(
                initiator,
                new HttpHost(host.getSchemeName(), address, host.getHostName(), host.getPort()),
                tlsName,
                localAddress,
                connectTimeout,
                attachment,
                context,
                next);
        CompletableFuture<?> unused = lookups.addressesOf(HostName.inUrl(host.getHostName()))
                .whenComplete((addresses, failure) -> {
                    if (failure != null) {
                        connection.failed((IOException) failure);
                    } else {
                        tryNext(addresses.iterator(), connect, connection);
                    }
                });
        return connection;
    }

    /** The first address that accepts is used; if none does, the failure is that of the last one. */
    private static void tryNext(
            Iterator<InetAddress> addresses, Connect connect, ComplexFuture<ManagedAsyncClientConnection> connection) {
        if (connection.isDone()) {
            return;
        }
        FutureCallback<ManagedAsyncClientConnection> next = new FutureCallback<>() {
            @Override
            public void completed(ManagedAsyncClientConnection opened) {
                if (!connection.completed(opened)) {
                    opened.close(CloseMode.IMMEDIATE); // the request was aborted meanwhile
                }
            }

            @Override
            public void failed(Exception failure) {
                if (addresses.hasNext()) {
                    tryNext(addresses, connect, connection);
                } else {
                    connection.failed(failure);
                }
            }

            @Override
            public void cancelled() {
                connection.cancel();
            }
        };
        try { // not cancelled with the request: that would leave a connection that is established later to nobody
            Future<?> unused = connect.to(addresses.next(), next);
        } catch (RuntimeException e) {
            connection.failed(e);
        }
    }

    @FunctionalInterface
    private interface Connect {
        Future<ManagedAsyncClientConnection> to(
                InetAddress address, FutureCallback<ManagedAsyncClientConnection> callback);
    }

    @Override
    public void upgrade(ManagedAsyncClientConnection connection, HttpHost host, @Nullable Object attachment) {
        operator.upgrade(connection, host, attachment);
    }

    @Override
    public void upgrade(
            ManagedAsyncClientConnection connection,
            HttpHost host,
            @Nullable NamedEndpoint tlsName,
            @Nullable Object attachment,
            @Nullable HttpContext context,
            @Nullable FutureCallback<ManagedAsyncClientConnection> callback) {
        operator.upgrade(connection, host, tlsName, attachment, context, callback);
    }
}
