package outbox.protobuf;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.PayloadHeaders;
import outbox.domain.type.PayloadFormat;
import outbox.domain.type.SchemaIds;
import outbox.domain.type.UnreadableEventException;

/**
 * Events of message classes that protoc generated. Readers of another version keep to the rules of Protocol Buffers:
 * unknown fields are kept, missing ones have their default, so no upcasters are needed. Thread-safe.
 *
 * <pre>{@code
 * PayloadSerializer serializer = PayloadSerializers.detect().with(ProtobufFormat.create());
 * }</pre>
 */
public final class ProtobufFormat implements PayloadFormat {
    static final String CONTENT_TYPE = "application/protobuf";

    /** The full name of the message. */
    public static final String MESSAGE_TYPE = "messageType";

    private final @Nullable SchemaIds ids;
    private final Map<String, Integer> known = new ConcurrentHashMap<>();
    private final Map<Class<?>, Message> defaults = new ConcurrentHashMap<>();

    private ProtobufFormat(@Nullable SchemaIds ids) {
        this.ids = ids;
    }

    /** Without schema ids. */
    public static ProtobufFormat create() {
        return new ProtobufFormat(null);
    }

    /**
     * With a schema registry of yours, for consumers that need the id; each file is asked for once. The schema it gets is the
     * {@code FileDescriptorProto} in Base64, which registries call the serialized format.
     */
    public static ProtobufFormat of(SchemaIds ids) {
        return new ProtobufFormat(Objects.requireNonNull(ids, "ids"));
    }

    @Override
    public String contentType() {
        return CONTENT_TYPE;
    }

    @Override
    public boolean supports(Class<?> type) {
        return Message.class.isAssignableFrom(type);
    }

    @Override
    public Encoded encode(Object event, String eventType) {
        Message message = (Message) event;
        Descriptor descriptor = message.getDescriptorForType();
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put(MESSAGE_TYPE, descriptor.getFullName());
        SchemaIds registry = ids;
        if (registry != null) {
            int id = known.computeIfAbsent(
                    eventType + " " + descriptor.getFile().getName(),
                    key -> registry.idOf(
                            eventType,
                            Base64.getEncoder()
                                    .encodeToString(
                                            descriptor.getFile().toProto().toByteArray())));
            headers.put(PayloadHeaders.SCHEMA_ID, Integer.toString(id));
            headers.put(PayloadHeaders.SCHEMA_INDEXES, indexesOf(descriptor));
        }
        return new Encoded(message.toByteArray(), headers);
    }

    /** Where the message is in its file: the index of the outermost message, then those of the nested ones. */
    private static String indexesOf(Descriptor descriptor) {
        Deque<Integer> indexes = new ArrayDeque<>();
        for (Descriptor at = descriptor; at != null; at = at.getContainingType()) {
            indexes.addFirst(at.getIndex());
        }
        return indexes.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    @Override
    public <T> T decode(EventEnvelope event, Class<T> type) {
        Message empty = defaults.computeIfAbsent(type, ProtobufFormat::defaultOf);
        String expected = empty.getDescriptorForType().getFullName();
        String written = event.headers().get(MESSAGE_TYPE);
        if (written != null && !written.equals(expected)) {
            throw new UnreadableEventException(
                    event + " holds the message " + written + ", but is read as " + expected, null);
        }
        try {
            return type.cast(empty.getParserForType().parseFrom(event.payloadBytes()));
        } catch (InvalidProtocolBufferException e) {
            throw new UnreadableEventException("payload of " + event + " cannot be read as message " + expected, e);
        }
    }

    private static Message defaultOf(Class<?> type) {
        try {
            return (Message) type.getMethod("getDefaultInstance").invoke(null);
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException(type.getName() + " is not a class that protoc generated", e);
        }
    }
}
