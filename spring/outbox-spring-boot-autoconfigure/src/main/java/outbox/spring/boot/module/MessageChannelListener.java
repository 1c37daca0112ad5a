package outbox.spring.boot.module;

import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.MessagingException;
import org.springframework.messaging.support.MessageBuilder;
import outbox.EventEnvelope;
import outbox.EventEnvelope.PayloadForm;
import outbox.EventListener;

/**
 * Sends events to a {@link MessageChannel}. An event is done when {@code send} has returned {@code true}.
 *
 * @param name of the channel, for messages
 * @param timeout for channels that can be full
 */
record MessageChannelListener(String name, MessageChannel channel, Duration timeout) implements EventListener {
    /** Headers that Spring sets itself, or takes for the name of a channel. */
    private static final Set<String> RESERVED = Set.of(
            MessageHeaders.ID, MessageHeaders.TIMESTAMP, MessageHeaders.REPLY_CHANNEL, MessageHeaders.ERROR_CHANNEL);

    @Override
    public void onEvent(EventEnvelope event) throws Exception {
        boolean sent;
        try {
            sent = channel.send(messageOf(event), timeout.toMillis());
        } catch (MessagingException e) {
            throw withoutMessage(e);
        }
        if (!sent) {
            throw new IllegalStateException("channel '" + name + "' did not accept the message of event "
                    + event.eventId() + " within " + timeout);
        }
    }

    private static Message<?> messageOf(EventEnvelope event) {
        boolean json = event.payloadForm() == PayloadForm.JSON;
        Object payload = json ? Objects.requireNonNull(event.payloadJson()) : event.payloadBytes();
        MessageBuilder<Object> message = MessageBuilder.withPayload(payload);
        event.headers().forEach((header, value) -> {
            if (!RESERVED.contains(header)) {
                message.setHeader(header, value);
            }
        });
        return message.setHeader(MessageHeaders.CONTENT_TYPE, json ? "application/json" : "application/octet-stream")
                .setHeader("eventId", event.eventId())
                .setHeader("eventType", event.eventType())
                .setHeader("occurredAt", event.occurredAt().toString())
                .setHeader("aggregateType", event.aggregateType())
                .setHeader("aggregateId", event.aggregateId())
                .setHeader("tenantId", event.tenantId())
                .build();
    }

    /** The cause alone: Spring's exceptions around it print the message, and payloads are neither stored nor logged. */
    private static Exception withoutMessage(MessagingException failure) {
        Throwable cause = failure;
        while (cause instanceof MessagingException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause instanceof Exception other && !(cause instanceof MessagingException)
                ? other
                : new IllegalStateException(cause.getClass().getName() + ": " + cause.getMessage());
    }
}
