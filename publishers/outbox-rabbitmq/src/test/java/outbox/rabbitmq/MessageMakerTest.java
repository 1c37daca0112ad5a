package outbox.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.PayloadHeaders;
import outbox.UnreadablePayloadException;
import outbox.spi.NameTemplate;

class MessageMakerTest {
    private final MessageMaker maker =
            new MessageMaker(new NameTemplate("events"), new NameTemplate(RabbitPublisherBuilder.DEFAULT_ROUTING_KEY));

    private static EventEnvelope.Builder event() {
        return EventEnvelope.builder("order.placed")
                .aggregateType("Order")
                .aggregateId("42")
                .payloadJson("{}");
    }

    private void refused(EventEnvelope event, String message) {
        assertThatThrownBy(() -> maker.messageOf(event))
                .isInstanceOf(MessageRefusedException.class)
                .hasMessageContaining(event.eventId())
                .hasMessageContaining(message);
    }

    @Test
    void whatAmqpCanNotCarryIsRefusedBeforeItHarmsTheChannel() {
        refused(EventEnvelope.builder("ж".repeat(128)).payloadJson("{}").build(), "event type");
        refused(
                EventEnvelope.builder("ж".repeat(100))
                        .aggregateType("ж".repeat(64))
                        .payloadJson("{}")
                        .build(),
                "routing key");
        refused(event().header("x".repeat(256), "1").build(), "header name");
        refused(event().header("x", "y".repeat(70_000)).build(), "headers");
        MessageMaker byTenant = new MessageMaker(new NameTemplate("{tenantId}"), new NameTemplate("x"));
        assertThatThrownBy(() -> byTenant.messageOf(event().build()))
                .isInstanceOf(MessageRefusedException.class)
                .hasMessageContaining("{tenantId}");
    }

    @Test
    void headersWithoutAValueStayBehind() {
        Message message =
                maker.messageOf(event().header("a", null).header("b", "1").build());
        assertThat(message.properties().getHeaders()).containsOnlyKeys("b", "aggregateType", "aggregateId");
    }

    @Test
    void theContentTypeOfTheEventIsThatOfTheMessage() {
        EventEnvelope.Builder avro = EventEnvelope.builder("order.placed")
                .payloadBytes(new byte[] {1})
                .header("schemaId", "17");
        Message message = maker.messageOf(
                avro.header(PayloadHeaders.CONTENT_TYPE, "application/avro").build());
        assertThat(message.properties().getContentType()).isEqualTo("application/avro");
        assertThat(message.properties().getContentEncoding()).isNull();
        assertThat(message.properties().getHeaders()).containsEntry("schemaId", "17");
        assertThatThrownBy(() -> maker.messageOf(
                        avro.header(PayloadHeaders.CONTENT_TYPE, "avro").build()))
                .isInstanceOf(UnreadablePayloadException.class)
                .hasMessageContaining("not a media type");
    }
}
