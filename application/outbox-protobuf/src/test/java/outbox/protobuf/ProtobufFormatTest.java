package outbox.protobuf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.StringValue;
import com.google.protobuf.Timestamp;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.PayloadHeaders;
import outbox.UnreadablePayloadException;
import outbox.domain.DomainEventContext;
import outbox.domain.type.EventDeserializer;
import outbox.domain.type.EventEnvelopes;
import outbox.domain.type.EventTypes;
import outbox.domain.type.NewerEventVersionException;
import outbox.domain.type.PayloadSerializer;
import outbox.domain.type.SchemaIds;

/** With messages that protobuf-java brings: they are generated as those of applications are. */
class ProtobufFormatTest {
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

    private final EventTypes types = EventTypes.builder()
            .register("clock.ticked", Timestamp.class)
            .register("text.said", StringValue.class)
            .register("nested", DescriptorProto.ReservedRange.class)
            .build();

    private EventEnvelope written(Object message, ProtobufFormat format) {
        return new EventEnvelopes(types, NO_JSON.with(format)).envelope(message, DomainEventContext.NONE);
    }

    private final EventDeserializer reader = new EventDeserializer(types, NO_JSON.with(ProtobufFormat.create()));

    @Test
    void anEventIsItsMessage() {
        Timestamp message = Timestamp.newBuilder().setSeconds(5).setNanos(7).build();
        EventEnvelope event = written(message, ProtobufFormat.create());
        assertThat(event.payloadBytes()).isEqualTo(message.toByteArray());
        assertThat(event.headers())
                .containsEntry(PayloadHeaders.CONTENT_TYPE, "application/protobuf")
                .containsEntry(ProtobufFormat.MESSAGE_TYPE, "google.protobuf.Timestamp")
                .doesNotContainKey(PayloadHeaders.SCHEMA_ID);
        assertThat(reader.read(event)).isEqualTo(message);
    }

    @Test
    void aRegistryGivesTheIdAndTheMessageItsPlaceInTheFile() throws Exception {
        String[] asked = new String[1];
        ProtobufFormat format = ProtobufFormat.of(new SchemaIds() {
            @Override
            public int idOf(String eventType, String schema) {
                asked[0] = schema;
                return 17;
            }

            @Override
            public String schemaOf(int id) {
                throw new AssertionError("not needed");
            }
        });
        EventEnvelope event =
                written(DescriptorProto.ReservedRange.newBuilder().setStart(1).build(), format);
        assertThat(event.headers()).containsEntry(PayloadHeaders.SCHEMA_ID, "17");
        var descriptor = DescriptorProto.ReservedRange.getDescriptor();
        assertThat(event.headers())
                .containsEntry(
                        PayloadHeaders.SCHEMA_INDEXES,
                        DescriptorProto.getDescriptor().getIndex() + "," + descriptor.getIndex());
        assertThat(FileDescriptorProto.parseFrom(Base64.getDecoder().decode(asked[0])))
                .isEqualTo(descriptor.getFile().toProto());
        assertThat(reader.read(event)).isInstanceOf(DescriptorProto.ReservedRange.class);
    }

    @Test
    void whatCannotBeReadIsNeverRetried() {
        EventEnvelope text = written(StringValue.of("x"), ProtobufFormat.create());
        EventEnvelope other = EventEnvelope.builder("clock.ticked")
                .headers(text.headers())
                .payloadBytes(text.payloadBytes())
                .build();
        assertThatThrownBy(() -> reader.read(other))
                .isInstanceOf(UnreadablePayloadException.class)
                .hasMessageContaining("holds the message google.protobuf.StringValue");
        EventEnvelope cut = text.toBuilder().payloadBytes(new byte[] {10, 99}).build();
        assertThatThrownBy(() -> reader.read(cut))
                .isInstanceOf(UnreadablePayloadException.class)
                .hasMessageContaining("cannot be read as message google.protobuf.StringValue");
    }

    @Test
    void aNewerVersionWaits() {
        EventEnvelope newer = written(StringValue.of("x"), ProtobufFormat.create()).toBuilder()
                .header("eventVersion", "2")
                .build();
        assertThatThrownBy(() -> reader.read(newer)).isInstanceOf(NewerEventVersionException.class);
    }
}
