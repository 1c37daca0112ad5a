package outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import outbox.EventEnvelope;
import outbox.PayloadHeaders;
import outbox.UnreadablePayloadException;
import outbox.spi.NameTemplate;

/** Payloads beyond JSON, as they are in a record. */
class PayloadFormatRecordTest {
    private static final byte[] PAYLOAD = {4, '4', '2'};

    private static EventEnvelope.Builder event(String contentType) {
        return EventEnvelope.builder("OrderPlaced")
                .header(PayloadHeaders.CONTENT_TYPE, contentType)
                .payloadBytes(PAYLOAD);
    }

    private static ProducerRecord<byte[], byte[]> record(KafkaFormat format, boolean framed, EventEnvelope event) {
        return new RecordMaker(new NameTemplate("orders"), format, null, framed).recordOf(event);
    }

    private static String header(ProducerRecord<byte[], byte[]> record, String name) {
        Header header = record.headers().lastHeader(name);
        return header == null ? null : new String(header.value(), StandardCharsets.UTF_8);
    }

    @Test
    void avroIsFramedWithAZeroByteAndTheId() {
        EventEnvelope event = event("application/avro")
                .header(PayloadHeaders.SCHEMA_ID, "16909060") // 0x01020304
                .build();
        assertThat(record(KafkaFormat.DEBEZIUM, true, event).value()).containsExactly(0, 1, 2, 3, 4, 4, '4', '2');
        assertThat(record(KafkaFormat.CLOUDEVENTS_BINARY, true, event).value())
                .containsExactly(0, 1, 2, 3, 4, 4, '4', '2');
        assertThat(record(KafkaFormat.DEBEZIUM, false, event).value()).containsExactly(PAYLOAD);
    }

    /** As Confluent's serializers write it: count and indexes as zigzag varints, and one zero for the first message. */
    @ParameterizedTest
    @CsvSource({"0, 00", "1, 0202", "'1,0', 040200", "'0,0', 040000", "'2,64', 04048001"})
    void protobufHasThePlaceOfItsMessage(String indexes, String hex) {
        EventEnvelope event = event("application/protobuf")
                .header(PayloadHeaders.SCHEMA_ID, "7")
                .header(PayloadHeaders.SCHEMA_INDEXES, indexes)
                .build();
        byte[] value = record(KafkaFormat.DEBEZIUM, true, event).value();
        assertThat(HexFormat.of().formatHex(value)).isEqualTo("0000000007" + hex + "043432");
    }

    @Test
    void whatHasNoUsableIdIsRefused() {
        assertThatThrownBy(() -> record(
                        KafkaFormat.DEBEZIUM, true, event("application/avro").build()))
                .isInstanceOf(RecordRefusedException.class)
                .hasMessageContaining("schemaId");
        assertThatThrownBy(() -> record(
                        KafkaFormat.DEBEZIUM,
                        true,
                        event("application/avro")
                                .header(PayloadHeaders.SCHEMA_ID, "-1")
                                .build()))
                .isInstanceOf(UnreadablePayloadException.class);
        assertThatThrownBy(() -> record(
                        KafkaFormat.DEBEZIUM,
                        true,
                        event("application/protobuf")
                                .header(PayloadHeaders.SCHEMA_ID, "1")
                                .header(PayloadHeaders.SCHEMA_INDEXES, "1,x")
                                .build()))
                .isInstanceOf(RecordRefusedException.class)
                .hasMessageContaining("1,x");
        assertThatThrownBy(() -> KafkaPublisher.builder("localhost:9092")
                        .format(KafkaFormat.CLOUDEVENTS_STRUCTURED)
                        .schemaFraming()
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("schemaFraming");
    }

    @Test
    void cloudEventsCarryContentTypeAndSchema() {
        EventEnvelope event = event("application/avro")
                .header(PayloadHeaders.DATA_SCHEMA, "https://schemas.example/order/2")
                .build();
        ProducerRecord<byte[], byte[]> binary = record(KafkaFormat.CLOUDEVENTS_BINARY, false, event);
        assertThat(header(binary, "content-type")).isEqualTo("application/avro");
        assertThat(header(binary, "ce_dataschema")).isEqualTo("https://schemas.example/order/2");
        assertThat(binary.value()).containsExactly(PAYLOAD);
        String structured = new String(
                record(KafkaFormat.CLOUDEVENTS_STRUCTURED, false, event).value(), StandardCharsets.UTF_8);
        assertThat(structured)
                .contains("\"datacontenttype\":\"application/avro\"")
                .contains("\"dataschema\":\"https://schemas.example/order/2\"")
                .contains("\"data_base64\":\"BDQy\"");
    }

    @Test
    void aContentTypeThatIsNoneIsNotSent() {
        for (String wrong : new String[] {"avro", "a b/c", "text/plain\r\nx: y", "/"}) {
            assertThatThrownBy(() -> record(
                            KafkaFormat.CLOUDEVENTS_BINARY, false, event(wrong).build()))
                    .as(wrong)
                    .isInstanceOf(UnreadablePayloadException.class)
                    .hasMessageContaining("not a media type");
        }
        EventEnvelope json = EventEnvelope.builder("A")
                .header(PayloadHeaders.CONTENT_TYPE, "application/avro")
                .payloadJson("{}")
                .build();
        assertThatThrownBy(() -> record(KafkaFormat.CLOUDEVENTS_BINARY, false, json))
                .isInstanceOf(UnreadablePayloadException.class)
                .hasMessageContaining("write it with payloadBytes");
    }
}
