package outbox.rabbitmq;

import com.rabbitmq.client.AMQP.BasicProperties;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** An event in flight to the broker. */
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

    /** The broker returned it; the confirmation that follows does not mean success then. */
    void returned(String reason) {
        returned = reason;
    }

    void confirmed() {
        String reason = returned;
        if (reason == null) {
            outcome.complete(null);
        } else {
            failed(new UndeliveredMessageException(this + " was returned as unroutable: " + reason));
        }
    }

    void refused() {
        String reason = returned;
        failed(new UndeliveredMessageException(
                this + " was rejected by the broker" + (reason == null ? "" : ": " + reason)));
    }

    void failed(Throwable failure) {
        outcome.completeExceptionally(failure);
    }

    @Override
    public String toString() {
        return "event " + id() + " to exchange '" + exchange + "' with routing key '" + routingKey + "'";
    }
}
