package outbox.idempotency.redis;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A Redis connection that fails fast when the server is unavailable, instead of blocking threads for a minute as the
 * client does by default, and that reconnects automatically. The server need not be available at creation: commands
 * fail until it is. Applications with their own connection pass its commands to the classes of this package.
 * Thread-safe.
 */
public final class OutboxRedis implements AutoCloseable {
    private static final Logger LOG = System.getLogger(OutboxRedis.class.getName());

    /** Command timeout. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(2);

    private final Supplier<? extends AbstractRedisClient> clients;
    private final Duration timeout;
    private final boolean ownsClient;
    private final RedisClusterCommands<String, String> commands;
    private @Nullable Opened opened; // guarded by this

    private OutboxRedis(Supplier<? extends AbstractRedisClient> clients, Duration timeout, boolean ownsClient) {
        this.clients = clients;
        this.timeout = timeout;
        this.ownsClient = ownsClient;
        this.commands = commandsThatConnect();
    }

    /** @param client that the connection is of */
    private record Opened(
            AbstractRedisClient client,
            StatefulConnection<String, String> connection,
            RedisClusterCommands<String, String> commands) {}

    /** @param uri for instance {@code redis://localhost:6379} */
    public static OutboxRedis connect(String uri) {
        return connect(uri, DEFAULT_TIMEOUT);
    }

    public static OutboxRedis connect(String uri, Duration timeout) {
        return connect(RedisURI.create(uri), timeout, SslOptions.create());
    }

    /**
     * @param timeout of connecting and of every command, instead of that of the address
     * @param ssl for an address with TLS
     */
    public static OutboxRedis connect(RedisURI address, Duration timeout, SslOptions ssl) {
        RedisURI own = RedisURI.builder(address).withTimeout(timeout).build();
        RedisClient client = RedisClient.create(own);
        client.setOptions(ClientOptions.builder()
                .autoReconnect(true)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .socketOptions(SocketOptions.builder().connectTimeout(timeout).build())
                .sslOptions(ssl)
                .build());
        return new OutboxRedis(() -> client, timeout, true).tried(address.getHost() + ":" + address.getPort());
    }

    /**
     * A connection of the client that the application has anyway, with its address, login and TLS. Closing it leaves the
     * client open.
     *
     * @param clients the client, a {@link RedisClient} or a {@link RedisClusterClient}; asked for again and again, as it is
     *     another one after a restart
     */
    public static OutboxRedis sharing(Supplier<? extends AbstractRedisClient> clients) {
        return new OutboxRedis(clients, DEFAULT_TIMEOUT, false).tried("the address of the application's client");
    }

    private OutboxRedis tried(String address) {
        try {
            opened();
        } catch (RedisConnectionException e) {
            LOG.log(
                    Level.WARNING,
                    "Redis at " + address + " cannot be reached; events that need it wait until it can",
                    e);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        return this;
    }

    private synchronized Opened opened() {
        AbstractRedisClient client = clients.get();
        if (opened == null || opened.client() != client) {
            opened = open(client);
        }
        return opened;
    }

    private Opened open(AbstractRedisClient client) {
        if (client instanceof RedisClusterClient cluster) {
            StatefulRedisClusterConnection<String, String> connection = cluster.connect();
            connection.setTimeout(timeout);
            return new Opened(client, connection, connection.sync());
        }
        StatefulRedisConnection<String, String> connection = ((RedisClient) client).connect();
        connection.setTimeout(timeout);
        return new Opened(client, connection, connection.sync());
    }

    public RedisClusterCommands<String, String> commands() {
        return commands;
    }

    /** Lettuce only reconnects after a first successful connection. */
    @SuppressWarnings("unchecked")
    private RedisClusterCommands<String, String> commandsThatConnect() {
        return (RedisClusterCommands<String, String>) Proxy.newProxyInstance(
                OutboxRedis.class.getClassLoader(),
                new Class<?>[] {RedisClusterCommands.class},
                (proxy, method, arguments) -> call(method, arguments));
    }

    private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(opened().commands(), arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    @Override
    public synchronized void close() {
        if (opened != null) {
            opened.connection().close();
            opened = null;
        }
        if (ownsClient) {
            clients.get().shutdown();
        }
    }
}
