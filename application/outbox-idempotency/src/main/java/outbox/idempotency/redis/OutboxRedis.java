package outbox.idempotency.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A connection to Redis that fails soon when the server is away, instead of holding threads for a minute as a client
 * does by default, and that reconnects by itself. A server that is away when this is created is not an error either:
 * commands fail until it is there. Applications with a connection of their own give its commands to the parts of this
 * package and see to that themselves. Thread-safe.
 */
public final class OutboxRedis implements AutoCloseable {
    private static final Logger LOG = System.getLogger(OutboxRedis.class.getName());

    /** How long a command may take. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(2);

    private final RedisClient client;
    private final RedisClusterCommands<String, String> commands;
    private @Nullable StatefulRedisConnection<String, String> connection; // guarded by this

    private OutboxRedis(RedisClient client) {
        this.client = client;
        this.commands = commandsThatConnect();
    }

    /** @param uri for instance {@code redis://localhost:6379} */
    public static OutboxRedis connect(String uri) {
        return connect(uri, DEFAULT_TIMEOUT);
    }

    public static OutboxRedis connect(String uri, Duration timeout) {
        RedisURI address = RedisURI.create(uri);
        address.setTimeout(timeout);
        RedisClient client = RedisClient.create(address);
        client.setOptions(ClientOptions.builder()
                .autoReconnect(true)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .socketOptions(SocketOptions.builder().connectTimeout(timeout).build())
                .build());
        OutboxRedis redis = new OutboxRedis(client);
        try {
            redis.connection();
        } catch (RedisConnectionException e) {
            LOG.log(
                    Level.WARNING,
                    "Redis at " + address.getHost() + ":" + address.getPort()
                            + " cannot be reached; events that need it wait until it can",
                    e);
        } catch (RuntimeException e) {
            client.shutdown();
            throw e;
        }
        return redis;
    }

    private synchronized StatefulRedisConnection<String, String> connection() {
        if (connection == null) {
            connection = client.connect();
        }
        return connection;
    }

    public RedisClusterCommands<String, String> commands() {
        return commands;
    }

    /** Lettuce reconnects only what was connected once. */
    @SuppressWarnings("unchecked")
    private RedisClusterCommands<String, String> commandsThatConnect() {
        return (RedisClusterCommands<String, String>) Proxy.newProxyInstance(
                OutboxRedis.class.getClassLoader(),
                new Class<?>[] {RedisClusterCommands.class},
                (proxy, method, arguments) -> call(method, arguments));
    }

    private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(connection().sync(), arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    @Override
    public synchronized void close() {
        if (connection != null) {
            connection.close();
        }
        client.shutdown();
    }
}
