package outbox.inbox.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import outbox.inbox.Inbox;
import outbox.inbox.InboxMessage;
import outbox.inbox.Receipt;

/**
 * Gives records that something else consumes to an {@link Inbox}, such as a {@code @KafkaListener} method of {@code
 * spring-kafka}. Commit offsets after it has returned, as {@code spring-kafka} does. Thread-safe.
 *
 * <pre>{@code
 * @KafkaListener(topics = "orders", groupId = "billing", batch = "true")
 * void on(List<ConsumerRecord<byte[], byte[]>> records) {
 *     receiver.receiveAll(records);
 * }
 * }</pre>
 *
 * <p>What it throws means: not stored, deliver it again.
 */
public final class KafkaReceiver {
    /** Where {@code ErrorHandlingDeserializer} of {@code spring-kafka} puts what it could not read. */
    private static final String UNREAD = "springDeserializerExceptionValue";

    private final Inbox inbox;
    private final Function<ConsumerRecord<?, ?>, InboxMessage> mapping;

    /** With {@link KafkaMessages#of}. */
    public KafkaReceiver(Inbox inbox) {
        this(inbox, KafkaMessages::of);
    }

    /**
     * @param inbox built with {@code deadLetterInvalid()}: otherwise one record would hold up its partition for ever
     * @param mapping a record for which it throws has the type {@value KafkaMessages#UNMAPPED}, and is a dead letter unless
     *     there is a handler for that
     */
    public KafkaReceiver(Inbox inbox, Function<ConsumerRecord<?, ?>, InboxMessage> mapping) {
        this.inbox = Objects.requireNonNull(inbox, "inbox");
        this.mapping = Objects.requireNonNull(mapping, "mapping");
        if (!inbox.deadLettersInvalid()) {
            throw new IllegalArgumentException(
                    "build the inbox with deadLetterInvalid(): otherwise a record that cannot be"
                            + " stored would hold up its partition for ever");
        }
    }

    public Receipt receive(ConsumerRecord<?, ?> record) {
        return inbox.receive(messageOf(record));
    }

    /** @return a receipt for each record, in the same order */
    public List<Receipt> receiveAll(Iterable<? extends ConsumerRecord<?, ?>> records) {
        List<InboxMessage> messages = new ArrayList<>();
        records.forEach(record -> messages.add(messageOf(record)));
        return messages.isEmpty() ? List.of() : inbox.receiveAll(messages);
    }

    private InboxMessage messageOf(ConsumerRecord<?, ?> record) {
        Header unread = record.headers().lastHeader(UNREAD);
        if (record.value() == null && unread != null) {
            return KafkaMessages.unmapped(
                    record, null, new IllegalArgumentException("the deserializer could not read the value"));
        }
        try {
            return mapping.apply(record);
        } catch (RuntimeException e) {
            return KafkaMessages.unmapped(record, record.value() instanceof byte[] bytes ? bytes : null, e);
        }
    }
}
