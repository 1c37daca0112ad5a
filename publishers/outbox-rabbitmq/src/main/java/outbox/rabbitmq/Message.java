package outbox.rabbitmq;

import com.rabbitmq.client.AMQP.BasicProperties;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** An event on its way to the broker. */
final class Message {
    private final String exchange;
    private final String routingKey;
    private final BasicProperties properties;
    private final byte[] body;
    private final CompletableFuture<Void> outcome = new CompletableFuture<>();
    private volatile @Nullable String returned;

    Message(String exchange, String routingKey, BasicProperties properties, byte[] body) {
        this.exchange = exchange;
        this.routingKey = routingKey;
        this.properties = properties;
        this.body = body;
    }

    String id() {
        return properties.getMessageId();
    }

    String exchange() {
        return exchange;
    }

    String routingKey() {
        return routingKey;
    }

    BasicProperties properties() {
        return properties;
    }

    byte[] body() {
        return body;
    }

    CompletableFuture<Void> outcome() {
        return outcome;
    }

    /** The broker sent it back; what it says next, that it has dealt with the message, means just that. */
    void returned(String reason) {
        returned = reason;
    }

    void confirmed() {
        String reason = returned;
        if (reason == null) {
            outcome.complete(null);
        } else {
            failed(new UndeliveredMessageException(this + " came back: " + reason));
        }
    }

    void refused() {
        String reason = returned;
        failed(new UndeliveredMessageException(
                this + " was not taken by the broker" + (reason == null ? "" : ": " + reason)));
    }

    void failed(Throwable failure) {
        outcome.completeExceptionally(failure);
    }

    @Override
    public String toString() {
        return "event " + id() + " to exchange '" + exchange + "' with routing key '" + routingKey + "'";
    }
}
