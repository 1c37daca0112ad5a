package outbox.protobuf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.DescriptorProto.ReservedRange;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import outbox.EventEnvelope;
import outbox.PayloadHeaders;
import outbox.contracts.BreakingChange;
import outbox.contracts.ContractCheck;
import outbox.contracts.ContractCompatibility;
import outbox.contracts.ContractViolationException;
import outbox.contracts.EventContracts;
import outbox.contracts.InvalidContractException;

class ProtobufContractsTest {
    @TempDir
    Path directory;

    private static FieldDescriptorProto.Builder field(int number, String name, FieldDescriptorProto.Type type) {
        return FieldDescriptorProto.newBuilder()
                .setNumber(number)
                .setName(name)
                .setType(type)
                .setLabel(FieldDescriptorProto.Label.LABEL_OPTIONAL);
    }

    private static DescriptorProto.Builder order() {
        return DescriptorProto.newBuilder()
                .setName("Order")
                .addField(field(1, "id", FieldDescriptorProto.Type.TYPE_STRING))
                .addField(field(2, "cents", FieldDescriptorProto.Type.TYPE_INT64));
    }

    private void write(int version, DescriptorProto.Builder message) throws IOException {
        FileDescriptorSet set = FileDescriptorSet.newBuilder()
                .addFile(FileDescriptorProto.newBuilder()
                        .setName("order.proto")
                        .setSyntax("proto3")
                        .addMessageType(message))
                .build();
        Files.write(directory.resolve("order.placed.v" + version + ".protoset"), set.toByteArray());
    }

    private List<BreakingChange> changes(DescriptorProto.Builder v1, DescriptorProto.Builder v2) throws IOException {
        write(1, v1);
        write(2, v2);
        return ContractCompatibility.betweenVersions(EventContracts.fromDirectory(directory));
    }

    @Test
    void newFieldsNewNamesAndWiderNumbersAreFine() throws IOException {
        assertThat(changes(
                        order(),
                        DescriptorProto.newBuilder()
                                .setName("Order")
                                .addField(field(1, "order_id", FieldDescriptorProto.Type.TYPE_STRING))
                                .addField(field(2, "cents", FieldDescriptorProto.Type.TYPE_UINT64))
                                .addField(field(3, "note", FieldDescriptorProto.Type.TYPE_STRING))))
                .isEmpty();
    }

    @Test
    void aNumberKeepsItsType() throws IOException {
        assertThat(changes(
                        order(),
                        DescriptorProto.newBuilder()
                                .setName("Order")
                                .addField(field(1, "id", FieldDescriptorProto.Type.TYPE_STRING))
                                .addField(field(2, "cents", FieldDescriptorProto.Type.TYPE_DOUBLE))))
                .singleElement()
                .satisfies(change -> {
                    assertThat(change.path()).isEqualTo("/cents");
                    assertThat(change.change()).contains("INT64", "DOUBLE");
                });
    }

    @Test
    void removedFieldsRepeatedFieldsAndReusedNumbersBreakReaders() throws IOException {
        DescriptorProto.Builder removed = DescriptorProto.newBuilder()
                .setName("Order")
                .addField(field(1, "id", FieldDescriptorProto.Type.TYPE_STRING));
        assertThat(changes(order(), removed))
                .singleElement()
                .satisfies(change -> assertThat(change.change()).contains("its number is not reserved"));
        DescriptorProto.Builder reserved = removed.clone()
                .addReservedRange(ReservedRange.newBuilder().setStart(2).setEnd(3));
        assertThat(changes(order(), reserved))
                .singleElement()
                .satisfies(change -> assertThat(change.change()).contains("readers get its default"));
        assertThat(changes(reserved, order()))
                .singleElement()
                .satisfies(change -> assertThat(change.change()).contains("takes a number that was reserved"));
        assertThat(changes(
                        order(),
                        DescriptorProto.newBuilder()
                                .setName("Order")
                                .addField(field(1, "id", FieldDescriptorProto.Type.TYPE_STRING))
                                .addField(field(2, "cents", FieldDescriptorProto.Type.TYPE_INT64)
                                        .setLabel(FieldDescriptorProto.Label.LABEL_REPEATED))))
                .singleElement()
                .satisfies(change -> assertThat(change.change()).contains("repeated now"));
    }

    @Test
    void eventsAreCheckedWhenTheyAreWritten() throws IOException {
        write(1, order());
        ContractCheck check = ContractCheck.rejecting(EventContracts.fromDirectory(directory));
        EventEnvelope.Builder event =
                EventEnvelope.builder("order.placed").header(PayloadHeaders.CONTENT_TYPE, "application/protobuf");
        check.beforeWrite(
                List.of(event.payloadBytes(new byte[] {10, 1, 'a', 16, 5}).build()));
        for (byte[] wrong : List.of(new byte[] {10, 9, 'a'}, new byte[] {24, 5})) {
            assertThatThrownBy(() ->
                            check.beforeWrite(List.of(event.payloadBytes(wrong).build())))
                    .isInstanceOf(ContractViolationException.class);
        }
    }

    @Test
    void whatIsNoDescriptorIsRefusedAtTheStart() throws IOException {
        Files.write(directory.resolve("order.placed.v1.protoset"), new byte[] {10, 99});
        assertThatThrownBy(() -> EventContracts.fromDirectory(directory))
                .isInstanceOf(InvalidContractException.class)
                .hasMessageContaining("order.placed v1");
    }
}
