package outbox.protobuf;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.PayloadHeaders;
import outbox.contracts.ContractLanguage;
import outbox.contracts.ContractSchema;

/**
 * Contracts in files {@code <event type>.v<version>.protoset}, as {@code protoc --include_imports --descriptor_set_out}
 * writes them. The event is the first message of the file that protoc was called for. Found by outbox-contracts.
 */
public final class ProtobufContracts implements ContractLanguage {
    @Override
    public String extension() {
        return "protoset";
    }

    @Override
    public ContractSchema parse(byte[] file) {
        try {
            return new ProtobufContract(eventIn(FileDescriptorSet.parseFrom(file)));
        } catch (InvalidProtocolBufferException | DescriptorValidationException e) {
            throw new IllegalArgumentException("it is not a set of Protocol Buffers descriptors: " + e.getMessage(), e);
        }
    }

    private static Descriptor eventIn(FileDescriptorSet set) throws DescriptorValidationException {
        Map<String, FileDescriptor> files = new HashMap<>();
        @Nullable FileDescriptor last = null;
        for (FileDescriptorProto proto : set.getFileList()) { // protoc puts imports first
            FileDescriptor[] imports = new FileDescriptor[proto.getDependencyCount()];
            for (int i = 0; i < imports.length; i++) {
                FileDescriptor imported = files.get(proto.getDependency(i));
                if (imported == null) {
                    throw new IllegalArgumentException("it does not have the imported file " + proto.getDependency(i)
                            + ": call protoc with --include_imports");
                }
                imports[i] = imported;
            }
            last = FileDescriptor.buildFrom(proto, imports);
            files.put(proto.getName(), last);
        }
        if (last == null || last.getMessageTypes().isEmpty()) {
            throw new IllegalArgumentException("its last file has no message");
        }
        return last.getMessageTypes().get(0);
    }

    private record ProtobufContract(Descriptor message) implements ContractSchema {
        @Override
        public String contentType() {
            return ProtobufFormat.CONTENT_TYPE;
        }

        @Override
        public List<String> problemsOf(EventEnvelope event) {
            if (!PayloadHeaders.isOf(ProtobufFormat.CONTENT_TYPE, event)) {
                return List.of("its header " + PayloadHeaders.CONTENT_TYPE + " is not " + ProtobufFormat.CONTENT_TYPE);
            }
            try {
                DynamicMessage read = DynamicMessage.parseFrom(message, event.payloadBytes());
                return read.getUnknownFields().asMap().isEmpty()
                        ? List.of()
                        : List.of("/ it has the fields "
                                + read.getUnknownFields().asMap().keySet() + ", which " + message.getFullName()
                                + " does not have");
            } catch (InvalidProtocolBufferException e) {
                return List.of("/ it is not a message " + message.getFullName());
            }
        }

        @Override
        public void compare(ContractSchema next, BiConsumer<String, String> change) {
            if (next instanceof ProtobufContract now) {
                new MessageDifference(change).compare(message, now.message);
            } else {
                change.accept("/", "it is no longer in Protocol Buffers: readers do not understand the bytes");
            }
        }
    }
}
