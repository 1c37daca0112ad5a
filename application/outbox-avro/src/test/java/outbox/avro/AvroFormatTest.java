package outbox.avro;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.EventEnvelope.PayloadForm;
import outbox.PayloadHeaders;
import outbox.UnreadablePayloadException;
import outbox.domain.DomainEventContext;
import outbox.domain.type.EventDeserializer;
import outbox.domain.type.EventEnvelopes;
import outbox.domain.type.EventTypes;
import outbox.domain.type.PayloadSerializer;

class AvroFormatTest {
    private static final Schema V1 = new Schema.Parser().parse(TestOrder.V1);
    private static final Schema V2 = TestOrder.SCHEMA$;

    /** Fails if it is asked. */
    private static final PayloadSerializer NO_JSON = new PayloadSerializer() {
        @Override
        public String serialize(Object value) {
            throw new AssertionError("written as JSON");
        }

        @Override
        public <T> T deserialize(String json, Class<T> type) {
            throw new AssertionError("read as JSON");
        }
    };

    private final EventTypes types =
            EventTypes.builder().register("order.placed", TestOrder.class).build();
    private final PayloadSerializer serializer = NO_JSON.with(AvroFormat.of(Map.of(1, V1, 2, V2)));
    private final EventDeserializer reader = new EventDeserializer(types, serializer);

    private EventEnvelope written(TestOrder order) {
        return new EventEnvelopes(types, serializer).envelope(order, DomainEventContext.NONE);
    }

    private static EventEnvelope.Builder avro(byte[] payload) {
        return EventEnvelope.builder("order.placed")
                .header(PayloadHeaders.CONTENT_TYPE, "application/avro")
                .payloadBytes(payload);
    }

    private static byte[] ofVersion1(String id, long cents) throws IOException {
        GenericData.Record order = new GenericData.Record(V1);
        order.put("id", id);
        order.put("cents", cents);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
        new GenericDatumWriter<GenericRecord>(V1).write(order, encoder);
        encoder.flush();
        return bytes.toByteArray();
    }

    @Test
    void anEventIsWrittenAsAvroWithTheIdOfItsSchema() {
        EventEnvelope event = written(TestOrder.of("42", 100));
        assertThat(event.payloadForm()).isEqualTo(PayloadForm.BYTES);
        assertThat(event.payloadBytes()).containsExactly(4, '4', '2', 0xc8, 1, 0);
        assertThat(event.headers())
                .containsEntry(PayloadHeaders.CONTENT_TYPE, "application/avro")
                .containsEntry(PayloadHeaders.SCHEMA_ID, "2");
        TestOrder read = (TestOrder) reader.read(event);
        assertThat(read.id()).isEqualTo("42");
        assertThat(read.cents()).isEqualTo(100);
    }

    @Test
    void anOlderSchemaIsResolvedWithoutAnUpcaster() throws IOException {
        EventEnvelope old =
                avro(ofVersion1("7", 5)).header(PayloadHeaders.SCHEMA_ID, "1").build();
        TestOrder read = (TestOrder) reader.read(old);
        assertThat(read.id()).isEqualTo("7");
        assertThat(read.note()).isEqualTo("none");
    }

    @Test
    void whatCannotBeReadIsNeverRetried() throws IOException {
        byte[] payload = ofVersion1("7", 5);
        assertThatThrownBy(() -> reader.read(
                        avro(payload).header(PayloadHeaders.SCHEMA_ID, "99").build()))
                .isInstanceOf(UnreadablePayloadException.class)
                .hasMessageContaining("no schema with the id 99");
        assertThatThrownBy(() -> reader.read(
                        avro(payload).header(PayloadHeaders.SCHEMA_ID, "one").build()))
                .isInstanceOf(UnreadablePayloadException.class)
                .hasMessageContaining("not the number of a schema");
        assertThatThrownBy(() -> reader.read(avro(payload).build()))
                .isInstanceOf(UnreadablePayloadException.class)
                .hasMessageContaining("no header schemaId");
        assertThatThrownBy(() -> reader.read(avro(new byte[] {100, 1})
                        .header(PayloadHeaders.SCHEMA_ID, "1")
                        .build()))
                .isInstanceOf(UnreadablePayloadException.class)
                .hasMessageContaining("cannot be read as outbox.avro.TestOrder");
        byte[] longer = java.util.Arrays.copyOf(payload, payload.length + 1);
        assertThatThrownBy(() -> reader.read(
                        avro(longer).header(PayloadHeaders.SCHEMA_ID, "1").build()))
                .isInstanceOf(UnreadablePayloadException.class);
        assertThatThrownBy(() -> reader.read(EventEnvelope.builder("order.placed")
                        .header(PayloadHeaders.CONTENT_TYPE, "application/cbor")
                        .payloadBytes(payload)
                        .build()))
                .isInstanceOf(UnreadablePayloadException.class)
                .hasMessageContaining("application/cbor")
                .hasMessageContaining("[application/avro]");
    }

    @Test
    void aSchemaWithoutIdIsNotWritten() {
        PayloadSerializer withoutV2 = NO_JSON.with(AvroFormat.of(Map.of(1, V1)));
        assertThatThrownBy(() ->
                        new EventEnvelopes(types, withoutV2).envelope(TestOrder.of("1", 1), DomainEventContext.NONE))
                .hasMessageContaining("order.placed")
                .hasMessageContaining("has no id");
    }

    @Test
    void twoFormatsOfOneContentTypeAreRefused() {
        assertThatThrownBy(() -> serializer.with(AvroFormat.of(Map.of())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("application/avro");
    }
}
