package outbox.idempotency.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.time.Duration;

/**
 * A connection to Redis that fails soon when the server is away, instead of holding threads for a minute as a client
 * does by default, and that reconnects by itself. Applications with a connection of their own give its commands to the
 * parts of this package and see to that themselves. Thread-safe.
 */
public final class OutboxRedis implements AutoCloseable {
    /** How long a command may take. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(2);

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;

    private OutboxRedis(RedisClient client) {
        this.client = client;
        this.connection = client.connect();
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
        try {
            return new OutboxRedis(client);
        } catch (RuntimeException e) {
            client.shutdown();
            throw e;
        }
    }

    public RedisClusterCommands<String, String> commands() {
        return connection.sync();
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown();
    }
}
