package outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import outbox.EventEnvelope.PayloadForm;

class EventEnvelopeTest {
    enum Orders implements EventType {
        PLACED
    }

    enum Aggregates implements AggregateType {
        ORDER
    }

    @Test
    void whatIsNotGivenHasItsDefault() {
        Instant before = Instant.now();
        EventEnvelope event = EventEnvelope.ofJson("UserCreated", "{}");

        assertThat(event.eventId()).hasSize(26);
        assertThat(event.occurredAt()).isBetween(before, Instant.now());
        assertThat(event.aggregateType()).isEqualTo("__GLOBAL__").isEqualTo(AggregateType.GLOBAL.name());
        assertThat(event.aggregateId()).isNull();
        assertThat(event.tenantId()).isNull();
        assertThat(event.headers()).isEmpty();
        assertThat(event.payloadJson()).isEqualTo("{}");
        assertThat(event.payloadForm()).isEqualTo(PayloadForm.JSON);
        assertThat(event.availableAt()).isNull();
        assertThat(event.isDelayed()).isFalse();
    }

    @Test
    void typedAndStringNamesGiveTheSameEvent() {
        EventEnvelope typed = EventEnvelope.builder(Orders.PLACED)
                .aggregateType(Aggregates.ORDER)
                .payloadJson("{}")
                .build();
        EventEnvelope named = EventEnvelope.builder(StringEventType.of("PLACED"))
                .aggregateType(StringAggregateType.of("ORDER"))
                .payloadJson("{}")
                .build();

        assertThat(typed.eventType()).isEqualTo(named.eventType()).isEqualTo("PLACED");
        assertThat(typed.aggregateType()).isEqualTo(named.aggregateType()).isEqualTo("ORDER");
    }

    @Test
    void laterChangesOfWhatWasPassedInDoNotReachTheEvent() {
        byte[] bytes = {1, 2, 3};
        Map<String, String> headers = new HashMap<>(Map.of("trace", "1"));
        EventEnvelope event =
                EventEnvelope.builder("E").payloadBytes(bytes).headers(headers).build();

        bytes[0] = 9;
        headers.put("trace", "2");
        event.payloadBytes()[1] = 9;

        assertThat(event.payloadBytes()).containsExactly(1, 2, 3);
        assertThat(event.headers()).containsExactly(Map.entry("trace", "1")).isUnmodifiable();
    }

    @Test
    void exactlyOnePayloadIsNeeded() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventEnvelope.builder("E").build())
                .withMessageContaining("no payload");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventEnvelope.builder("E")
                        .payloadJson("{}")
                        .payloadBytes(new byte[1])
                        .build())
                .withMessageContaining("both");
    }

    @Test
    void thePayloadLimitCountsBytesNotCharacters() {
        String twoBytesEach = "é".repeat(EventEnvelope.MAX_PAYLOAD_BYTES / 2);
        assertThat(twoBytesEach.getBytes(StandardCharsets.UTF_8)).hasSize(EventEnvelope.MAX_PAYLOAD_BYTES);
        assertThat(EventEnvelope.ofJson("E", twoBytesEach).payloadJson()).isSameAs(twoBytesEach);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventEnvelope.ofJson("E", twoBytesEach + "x"))
                .withMessageContaining("1048577")
                .withMessageContaining("1048576");

        String fourBytesEach = "😀".repeat(EventEnvelope.MAX_PAYLOAD_BYTES / 4);
        assertThat(EventEnvelope.ofJson("E", fourBytesEach).payloadJson()).isNotNull();
        assertThatIllegalArgumentException().isThrownBy(() -> EventEnvelope.ofJson("E", fourBytesEach + "x"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventEnvelope.builder("E")
                        .payloadBytes(new byte[EventEnvelope.MAX_PAYLOAD_BYTES + 1])
                        .build());
    }

    @Test
    void aNullHeaderKeyIsRefused() {
        Map<String, String> headers = new HashMap<>();
        headers.put(null, "v");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventEnvelope.builder("E")
                        .payloadJson("{}")
                        .headers(headers)
                        .build())
                .withMessageContaining("null key");
    }

    @ParameterizedTest
    @CsvSource({"eventId,36", "eventType,128", "aggregateType,64", "aggregateId,128", "tenantId,64"})
    void aFieldLongerThanItsColumnIsRefusedByName(String field, int limit) {
        assertThat(with(field, "x".repeat(limit))).isNotNull();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> with(field, "x".repeat(limit + 1)))
                .withMessageContaining(field)
                .withMessageContaining(String.valueOf(limit));
        assertThatIllegalArgumentException().isThrownBy(() -> with(field, " ")).withMessageContaining(field);
    }

    private static EventEnvelope with(String field, String value) {
        EventEnvelope.Builder event =
                EventEnvelope.builder(field.equals("eventType") ? value : "E").payloadJson("{}");
        switch (field) {
            case "eventId" -> event.eventId(value);
            case "aggregateType" -> event.aggregateType(value);
            case "aggregateId" -> event.aggregateId(value);
            case "tenantId" -> event.tenantId(value);
            default -> {}
        }
        return event.build();
    }

    @Test
    void aDelayIsGivenOnceAndNotNegative() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventEnvelope.builder("E").deliverAfter(Duration.ofSeconds(-1)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventEnvelope.builder("E")
                        .payloadJson("{}")
                        .availableAt(Instant.now())
                        .deliverAfter(Duration.ofSeconds(1))
                        .build())
                .withMessageContaining("both");
    }

    @Test
    void aChangedCopyKeepsAllElse() {
        EventEnvelope event = EventEnvelope.builder("E")
                .aggregateType("Order")
                .aggregateId("42")
                .tenantId("acme")
                .occurredAt(Instant.parse("2026-01-01T00:00:00Z"))
                .availableAt(Instant.parse("2026-01-02T00:00:00Z"))
                .header("a", "1")
                .payloadBytes(new byte[] {1, 2})
                .build();

        EventEnvelope changed = event.toBuilder().header("b", "2").build();

        assertThat(changed).usingRecursiveComparison().ignoringFields("headers").isEqualTo(event);
        assertThat(changed.headers()).containsExactly(Map.entry("a", "1"), Map.entry("b", "2"));
        assertThat(event.headers()).hasSize(1);
        EventEnvelope delayed = EventEnvelope.builder("E")
                .payloadJson("{}")
                .deliverAfter(Duration.ofSeconds(3))
                .build();
        assertThat(delayed.toBuilder().build()).usingRecursiveComparison().isEqualTo(delayed);
    }

    @Test
    void halfASurrogatePairIsRefusedWhereverItStands() {
        String half = "a\ud83db";
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventEnvelope.ofJson("T", "\"" + half + "\""))
                .withMessageContaining("payloadJson")
                .withMessageContaining("\\ud83d")
                .withMessageContaining("offset 2");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventEnvelope.builder("T")
                        .payloadJson("{}")
                        .header("k", half)
                        .build())
                .withMessageContaining("header k");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventEnvelope.builder("T")
                        .payloadJson("{}")
                        .aggregateId("\ude00")
                        .build())
                .withMessageContaining("aggregateId");
        String whole = "\"\ud83d\ude00\"";
        assertThat(EventEnvelope.ofJson("T", whole).payloadJson()).isEqualTo(whole);
    }

    @Test
    void namesWithNulAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventEnvelope.ofJson("a\0b", "{}"))
                .withMessageContaining("eventType")
                .withMessageContaining("NUL");
    }

    @Test
    void timesThatNoDatabaseHoldsAreRefusedByName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventEnvelope.builder("T")
                        .payloadJson("{}")
                        .availableAt(Instant.MAX)
                        .build())
                .withMessageContaining("availableAt")
                .withMessageContaining(Instant.MAX.toString());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventEnvelope.builder("T")
                        .payloadJson("{}")
                        .occurredAt(Instant.MIN)
                        .build())
                .withMessageContaining("occurredAt");
    }

    @Test
    void aPayloadFromTheTableIsNotMeasuredAgain() {
        String grown = "\"" + "x".repeat(EventEnvelope.MAX_PAYLOAD_BYTES) + "\"";
        EventEnvelope event =
                EventEnvelope.builder("T").storedPayloadJson(grown).build();
        assertThat(event.toBuilder().tenantId("t").build().payloadJson()).isEqualTo(grown);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> event.toBuilder().payloadJson(grown).build());
    }

    @Test
    void itsTextNamesTheEventButNotItsContent() {
        EventEnvelope event = EventEnvelope.builder("CardCharged")
                .aggregateId("42")
                .header("authorization", "secret-header")
                .payloadJson("{\"card\":\"secret-payload\"}")
                .build();

        assertThat(event.toString())
                .contains(event.eventId(), "CardCharged", "42")
                .doesNotContain("secret");
    }

    @Test
    void whatWasWrittenAsTextIsReadAsBytesToo() {
        EventEnvelope event = EventEnvelope.ofJson("E", "\"größer 𝄞\"");
        assertThat(event.payloadBytes()).isEqualTo("\"größer 𝄞\"".getBytes(StandardCharsets.UTF_8));
        assertThat(event.payloadForm()).isEqualTo(PayloadForm.JSON);
    }

    @Test
    void whatWasWrittenAsBytesIsReadAsTextIfItIsSome() {
        EventEnvelope text = EventEnvelope.builder("E")
                .payloadBytes("\"größer 𝄞\"".getBytes(StandardCharsets.UTF_8))
                .build();
        assertThat(text.payloadJson()).isEqualTo("\"größer 𝄞\"");
        assertThat(text.payloadForm()).isEqualTo(PayloadForm.BYTES);
        for (byte[] noText :
                List.of(new byte[] {'a', -1}, new byte[] {(byte) 0xC3}, new byte[] {(byte) 0xED, -96, -128})) {
            EventEnvelope event =
                    EventEnvelope.builder("E").payloadBytes(noText).build();
            assertThat(event.payloadJson()).isNull();
            assertThat(event.payloadBytes()).isEqualTo(noText);
        }
    }

    @Test
    void theFormSurvivesAChangeOfOtherFields() {
        EventEnvelope bytes =
                EventEnvelope.builder("E").payloadBytes(new byte[] {'1'}).build();
        assertThat(bytes.toBuilder().tenantId("t").build().payloadForm()).isEqualTo(PayloadForm.BYTES);
        EventEnvelope json = EventEnvelope.ofJson("E", "1");
        assertThat(json.toBuilder().tenantId("t").build().payloadForm()).isEqualTo(PayloadForm.JSON);
    }
}
