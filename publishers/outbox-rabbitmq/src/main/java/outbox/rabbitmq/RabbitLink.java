package outbox.rabbitmq;

import com.rabbitmq.client.AddressResolver;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.SocketConfigurator;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Opens connections for a publisher. Confined to the publishing thread. */
final class RabbitLink {
    private final ConnectionFactory factory;
    private final @Nullable AddressResolver addresses;
    private final AtomicReference<@Nullable Socket> lastSocket = new AtomicReference<>();

    /**
     * @param factory is copied: what is changed here concerns nobody else
     * @param addresses {@code null} for the one host of the factory
     * @param patience how long to wait at most for an answer of the broker
     */
    RabbitLink(ConnectionFactory factory, @Nullable AddressResolver addresses, Duration patience) {
        this.addresses = addresses;
        this.factory = factory.clone();
        this.factory.useBlockingIo(); // so that the socket can be closed while a thread is writing
        this.factory.setConnectionTimeout(shorter(factory.getConnectionTimeout(), patience));
        this.factory.setHandshakeTimeout(shorter(factory.getHandshakeTimeout(), patience));
        this.factory.setChannelRpcTimeout(shorter(factory.getChannelRpcTimeout(), patience));
        // The client's own recovery would lose track of unconfirmed messages.
        this.factory.setAutomaticRecoveryEnabled(false);
        this.factory.setTopologyRecoveryEnabled(false);
        SocketConfigurator given = this.factory.getSocketConfigurator();
        this.factory.setSocketConfigurator(socket -> {
            if (given != null) {
                given.configure(socket);
            }
            lastSocket.set(socket);
        });
    }

    /** @param millis 0 for no limit */
    private static int shorter(int millis, Duration limit) {
        int limitMillis = (int) Math.min(Integer.MAX_VALUE, Math.max(1, limit.toMillis()));
        return millis <= 0 ? limitMillis : Math.min(millis, limitMillis);
    }

    /** @throws IOException if the broker is unreachable or refuses the connection */
    RabbitConnection open() throws IOException {
        Connection connection;
        lastSocket.set(null);
        try {
            connection = addresses == null
                    ? factory.newConnection("outbox")
                    : factory.newConnection(addresses.getAddresses(), "outbox");
        } catch (TimeoutException e) {
            throw new IOException("connecting to the broker timed out", e);
        }
        return new RabbitConnection(connection, lastSocket.get());
    }
}
