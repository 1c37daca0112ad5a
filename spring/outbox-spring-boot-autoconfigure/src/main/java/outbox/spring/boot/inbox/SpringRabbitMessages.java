package outbox.spring.boot.inbox;

import com.rabbitmq.client.AMQP.BasicProperties;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.rabbit.support.DefaultMessagePropertiesConverter;
import org.springframework.amqp.rabbit.support.MessagePropertiesConverter;
import outbox.inbox.InboxMessage;
import outbox.inbox.rabbitmq.RabbitMessages;

/**
 * Reads messages of {@code spring-rabbit} as {@link RabbitMessages} does. A {@code @RabbitListener} method acknowledges a
 * message when it returns.
 *
 * <pre>{@code
 * @RabbitListener(queues = "orders")
 * void on(Message message) {
 *     inbox.receive(SpringRabbitMessages.of(message));
 * }
 * }</pre>
 *
 * <p>Stateless, thread-safe.
 */
public final class SpringRabbitMessages {
    private static final MessagePropertiesConverter CONVERTER = new DefaultMessagePropertiesConverter();

    private SpringRabbitMessages() {}

    public static InboxMessage of(Message message) {
        MessageProperties properties = message.getMessageProperties();
        BasicProperties plain = CONVERTER.fromMessageProperties(properties, "UTF-8");
        String key = String.valueOf(properties.getReceivedRoutingKey());
        String queue = properties.getConsumerQueue();
        return RabbitMessages.of(queue == null ? key : queue, key, plain, message.getBody());
    }
}
