package outbox.domain.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.domain.DomainEventContext;
import outbox.domain.EventHeaders;
import outbox.domain.sample.OrderPlaced;
import outbox.domain.sample.PaymentTaken;
import outbox.domain.type.EventDeserializer;
import outbox.domain.type.EventEnvelopes;
import outbox.domain.type.EventTypes;
import outbox.domain.type.NewerEventVersionException;
import outbox.domain.type.PayloadSerializer;
import outbox.domain.type.UnreadableEventException;
import outbox.domain.type.Upcaster;

/** What both generations of Jackson must do. */
abstract class PayloadSerializerContract {
    abstract PayloadSerializer serializer();

    /** From version 1 of {@code order.placed}, which had the amount in whole units. */
    abstract Upcaster amountToCents();

    private EventDeserializer reader() {
        return new EventDeserializer(
                EventTypes.builder()
                        .register(OrderPlaced.class, PaymentTaken.class)
                        .upcaster(amountToCents())
                        .build(),
                serializer());
    }

    @Test
    @DisplayName("D3: an event comes back as it was")
    void anEventComesBackAsItWas() {
        EventEnvelopes envelopes = new EventEnvelopes(EventTypes.builder().build(), serializer());
        OrderPlaced placed = new OrderPlaced("42", 100);
        PaymentTaken taken = new PaymentTaken("p-1");
        List<EventEnvelope> written = envelopes.envelopes(List.of(placed, taken), DomainEventContext.NONE);

        assertThat(reader().read(written.get(0))).isEqualTo(placed);
        assertThat(reader().read(written.get(1))).isInstanceOfSatisfying(PaymentTaken.class, read -> {
            assertThat(read.eventId()).isEqualTo(taken.eventId());
            assertThat(read.occurredAt()).isEqualTo(taken.occurredAt());
            assertThat(read.getPaymentId()).isEqualTo("p-1");
        });
        assertThat(written.get(0).payloadJson()).contains("\"occurredAt\":\"2026-03-01T10:15:30.123456Z\"");
    }

    @Test
    @DisplayName("W10: an old row is read by today's class")
    void anOldRowIsReadByTodaysClass() {
        EventEnvelope old = EventEnvelope.builder("order.placed")
                .payloadJson(
                        "{\"eventId\":\"e-1\",\"occurredAt\":\"2025-01-01T00:00:00Z\",\"orderId\":\"7\",\"amount\":3}")
                .build();

        assertThat(reader().read(old)).isInstanceOfSatisfying(OrderPlaced.class, event -> {
            assertThat(event.orderId()).isEqualTo("7");
            assertThat(event.cents()).isEqualTo(300);
        });
    }

    @Test
    @DisplayName("W10: a newer version than this code knows is left for newer code")
    void aNewerVersionIsLeftForNewerCode() {
        EventEnvelope newer = EventEnvelope.builder("order.placed")
                .headers(Map.of(EventHeaders.VERSION, "3"))
                .payloadJson("{}")
                .build();

        assertThatThrownBy(() -> reader().read(newer))
                .isInstanceOf(NewerEventVersionException.class)
                .hasMessageContaining("has version 3")
                .hasMessageContaining("version 2");
    }

    @Test
    void unknownFieldsAreIgnored() {
        EventEnvelope event = EventEnvelope.ofJson(PaymentTaken.class.getName(), "{\"paymentId\":\"p\",\"more\":true}");

        assertThat(reader().read(event))
                .isInstanceOfSatisfying(
                        PaymentTaken.class,
                        read -> assertThat(read.getPaymentId()).isEqualTo("p"));
    }

    @Test
    void aPayloadThatDoesNotFitIsUnreadableAndNotQuoted() {
        EventEnvelope broken = EventEnvelope.ofJson(PaymentTaken.class.getName(), "[\"secret\"");

        assertThatThrownBy(() -> reader().read(broken))
                .isInstanceOf(UnreadableEventException.class)
                .hasMessageContaining("cannot be read as " + PaymentTaken.class.getName())
                .hasStackTraceContaining("not the JSON of a " + PaymentTaken.class.getName())
                .satisfies(e -> assertThat(ofTheWhole(e)).doesNotContain("secret"));
    }

    @Test
    void aValueOfTheWrongTypeIsNamedByItsFieldAndNotQuoted() {
        EventEnvelope number = event("{\"eventId\":\"e-1\",\"cents\":\"secret\"}");
        EventEnvelope time = event("{\"eventId\":\"e-1\",\"occurredAt\":\"secret\"}");

        assertThatThrownBy(() -> reader().read(number))
                .isInstanceOf(UnreadableEventException.class)
                .hasStackTraceContaining("at cents")
                .satisfies(e -> assertThat(ofTheWhole(e)).doesNotContain("secret"));
        assertThatThrownBy(() -> reader().read(time))
                .isInstanceOf(UnreadableEventException.class)
                .hasStackTraceContaining("at occurredAt")
                .satisfies(e -> assertThat(ofTheWhole(e)).doesNotContain("secret"));
    }

    private static EventEnvelope event(String json) {
        return EventEnvelope.builder("order.placed")
                .headers(Map.of(EventHeaders.VERSION, "2"))
                .payloadJson(json)
                .build();
    }

    private static String ofTheWhole(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    @Test
    void whatAnUpcasterCanNotReadIsNotQuoted() {
        EventEnvelope old = EventEnvelope.ofJson("order.placed", "{\"amount\":secret}");

        assertThatThrownBy(() -> reader().read(old))
                .isInstanceOf(UnreadableEventException.class)
                .hasStackTraceContaining("not a JSON object")
                .satisfies(e -> assertThat(ofTheWhole(e)).doesNotContain("secret"));
    }

    @Test
    void jsonThatWasWrittenAsBytesIsRead() {
        EventEnvelope bytes = EventEnvelope.builder(PaymentTaken.class.getName())
                .payloadBytes("{\"paymentId\":\"ü\"}".getBytes(StandardCharsets.UTF_8))
                .build();

        assertThat(reader().read(bytes))
                .isInstanceOfSatisfying(
                        PaymentTaken.class,
                        read -> assertThat(read.getPaymentId()).isEqualTo("ü"));
    }

    @Test
    void bytesThatAreNoTextAreUnreadable() {
        EventEnvelope bytes = EventEnvelope.builder("order.placed")
                .payloadBytes(new byte[] {-1})
                .build();

        assertThatThrownBy(() -> reader().read(bytes))
                .isInstanceOf(UnreadableEventException.class)
                .hasMessageContaining("has a payload that is not UTF-8");
    }

    public static class Broken {
        public String getValue() {
            throw new IllegalStateException("not now");
        }
    }

    @Test
    void whatCanNotBeWrittenNamesTheClass() {
        assertThatThrownBy(() -> serializer().serialize(new Broken()))
                .hasMessageContaining(Broken.class.getName() + " cannot be written as JSON");
    }
}
