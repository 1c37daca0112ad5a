package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import java.util.Map;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.PayloadHeaders;
import outbox.avro.AvroFormat;
import outbox.domain.DomainEventContext;
import outbox.domain.jackson.PayloadSerializers;
import outbox.domain.type.EventDeserializer;
import outbox.domain.type.EventEnvelopes;
import outbox.domain.type.EventTypes;
import outbox.domain.type.PayloadSerializer;
import outbox.domain.type.SchemaIds;
import outbox.domain.type.UnreadableEventException;
import outbox.kafka.KafkaPublisher;
import outbox.protobuf.ProtobufFormat;

class PayloadFormatSnippets {
    private final Schema orderV1 = new Schema.Parser().parse("{\"type\":\"record\",\"name\":\"A\",\"fields\":[]}");
    private final Schema orderV2 = new Schema.Parser().parse("{\"type\":\"record\",\"name\":\"B\",\"fields\":[]}");

    @Test
    void bytesWithTheirType() {
        byte[] png = {(byte) 0x89, 'P', 'N', 'G'};
        // snippet: bytes
        EventEnvelope image = EventEnvelope.builder("ImageTaken")
                .payloadBytes(png)
                .header(PayloadHeaders.CONTENT_TYPE, "image/png")
                .build();
        // end
        assertThat(PayloadHeaders.contentType(image)).isEqualTo("image/png");
    }

    @Test
    void formats() {
        // snippet: formats
        PayloadSerializer serializer = PayloadSerializers.detect()
                .with(AvroFormat.of(Map.of(17, orderV1, 23, orderV2)), ProtobufFormat.create());
        // end
        EventTypes types =
                EventTypes.builder().register("clock.ticked", Timestamp.class).build();
        Timestamp event = Timestamp.newBuilder().setSeconds(5).build();
        EventEnvelope envelope = new EventEnvelopes(types, serializer).envelope(event, DomainEventContext.NONE);
        assertThat(new EventDeserializer(types, serializer).read(envelope)).isEqualTo(event);
    }

    interface RegistryClient {
        int register(String subject, String schema);

        String schema(int id);
    }

    // snippet: registry
    record RegistryIds(RegistryClient registry) implements SchemaIds {
        @Override
        public int idOf(String eventType, String schema) {
            return registry.register(eventType + "-value", schema); // a failure fails the writer
        }

        @Override
        public String schemaOf(int id) {
            String schema = registry.schema(id); // let it throw a NotAttemptedException if the registry is away
            if (schema == null) {
                throw new UnreadableEventException("the registry has no schema " + id, null);
            }
            return schema;
        }
    }
    // end

    @Test
    void registryIds() {
        AvroFormat avro = AvroFormat.of(new RegistryIds(new RegistryClient() {
            @Override
            public int register(String subject, String schema) {
                return 1;
            }

            @Override
            public String schema(int id) {
                return orderV1.toString();
            }
        }));
        assertThat(avro.contentType()).isEqualTo("application/avro");
    }

    @Test
    void framing() {
        // snippet: framing
        KafkaPublisher publisher =
                KafkaPublisher.builder("localhost:9092").schemaFraming().build();
        // end
        publisher.close();
    }
}
