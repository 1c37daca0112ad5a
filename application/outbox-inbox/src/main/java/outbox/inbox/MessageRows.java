package outbox.inbox;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.spi.StoredPayload;
import outbox.util.JsonCodec;
import outbox.util.Ulid;

/** Turns the messages of one consumer group into rows. Immutable and thread-safe. */
final class MessageRows {
    /** The type of a dead letter whose own type cannot be stored. */
    static final String INVALID_TYPE = "inbox.invalid";

    private static final int ID_BYTES = 16;
    private static final int MAX_HEADER = 500;
    private static final int MAX_GROUP = 128;

    private final String group;
    private final @Nullable MessageId messageId;
    private final JsonCodec codec;

    /** @param codec that of the store */
    MessageRows(String group, @Nullable MessageId messageId, JsonCodec codec) {
        this.group = group;
        this.messageId = messageId;
        this.codec = codec;
    }

    static String validGroup(String group) {
        if (group.isBlank() || group.length() > MAX_GROUP) {
            throw new IllegalArgumentException(
                    "a group has 1 to " + MAX_GROUP + " characters, this one has " + group.length());
        }
        return group;
    }

    String group() {
        return group;
    }

    /** @throws InvalidMessageException if the message has no id or cannot be stored */
    EventEnvelope rowOf(InboxMessage message) {
        String id = idOf(message);
        if (id == null) {
            throw new InvalidMessageException(
                    message + " has no id, so a second delivery of it could not be recognized; set InboxMessage.id,"
                            + " or messageId(...) of the inbox, for instance MessageId.header(...)",
                    null);
        }
        try {
            EventEnvelope row = storable(message, id);
            String unused = StoredPayload.encodeHeaders(row, codec); // refuses what the column cannot hold
            return row;
        } catch (IllegalArgumentException e) {
            throw notStorable(message, e);
        }
    }

    static InvalidMessageException notStorable(InboxMessage message, IllegalArgumentException cause) {
        return new InvalidMessageException(message + " cannot be stored: " + cause.getMessage(), cause);
    }

    /** The same row without payload and headers of the message: enough to recognize it. */
    static EventEnvelope keyOf(EventEnvelope row) {
        EventEnvelope.Builder key = EventEnvelope.builder(row.eventType())
                .eventId(row.eventId())
                .aggregateId(row.aggregateId())
                .tenantId(row.tenantId())
                .payloadJson("null");
        InboxHeaders.NAMES.forEach(name -> {
            String value = row.headers().get(name);
            if (value != null) {
                key.header(name, value);
            }
        });
        return key.build();
    }

    /** @throws InvalidMessageException if the user's function fails */
    private @Nullable String idOf(InboxMessage message) {
        String id = message.id();
        if ((id == null || id.isBlank()) && messageId != null) {
            try {
                id = messageId.of(message);
            } catch (RuntimeException e) {
                throw new InvalidMessageException(message + " has no id, because messageId(...) failed: " + e, e);
            }
        }
        return id == null || id.isBlank() ? null : id;
    }

    /** As JSON if it is, so that operators and SQL can read it; otherwise as bytes, and its handler says what is wrong. */
    private EventEnvelope storable(InboxMessage message, String id) {
        Map<String, String> headers = headersOf(message, id);
        byte[] payload = message.payload();
        String text = textOf(payload);
        if (text != null) {
            EventEnvelope json =
                    builder(message, id).headers(headers).payloadJson(text).build();
            try {
                String unused = StoredPayload.encode(json);
                return json;
            } catch (IllegalArgumentException e) { // not JSON
            }
        }
        return builder(message, id).headers(headers).payloadBytes(payload).build();
    }

    private EventEnvelope.Builder builder(InboxMessage message, String id) {
        return EventEnvelope.builder(message.type())
                .eventId(eventId(id))
                .aggregateId(message.key())
                .tenantId(message.tenantId());
    }

    private Map<String, String> headersOf(InboxMessage message, @Nullable String id) {
        Map<String, String> headers = new LinkedHashMap<>(message.headers());
        headers.putAll(originOf(message, id));
        return headers;
    }

    private Map<String, String> originOf(InboxMessage message, @Nullable String id) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put(InboxHeaders.GROUP, group);
        put(headers, InboxHeaders.MESSAGE_ID, id);
        put(headers, InboxHeaders.SOURCE, message.source());
        put(headers, InboxHeaders.POSITION, message.position());
        return headers;
    }

    private static void put(Map<String, String> headers, String name, @Nullable String value) {
        if (value != null) {
            headers.put(name, value);
        }
    }

    /**
     * The row of a message that cannot be handled: where it came from, without its payload. The same message gets the same
     * row in every delivery.
     */
    EventEnvelope deadRowOf(InboxMessage message) {
        String id = idIfAny(message);
        String known = id != null ? id : MessageId.position().of(message);
        Map<String, String> headers = new LinkedHashMap<>();
        originOf(message, id).forEach((name, value) -> headers.put(name, printable(value)));
        return EventEnvelope.builder(hasStorableType(message) ? message.type() : INVALID_TYPE)
                .eventId(known != null ? eventId(known) : Ulid.fromBytes(digest("content", contentOf(message))))
                .headers(headers)
                .payloadJson("{\"invalid\":true,\"bytes\":" + message.payloadSize() + "}")
                .build();
    }

    private @Nullable String idIfAny(InboxMessage message) {
        try {
            return idOf(message);
        } catch (InvalidMessageException e) {
            return null;
        }
    }

    private static boolean hasStorableType(InboxMessage message) {
        try {
            EventEnvelope.ofJson(message.type(), "null");
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static byte[] contentOf(InboxMessage message) {
        byte[] head = (message.type() + "\0" + message.source() + "\0" + message.key() + "\0" + message.headers()
                        + "\0")
                .getBytes(StandardCharsets.UTF_8);
        byte[] payload = message.payload();
        return ByteBuffer.allocate(head.length + payload.length)
                .put(head)
                .put(payload)
                .array();
    }

    /** What any database stores. */
    private static String printable(String value) {
        String text = new String(value.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8).replace('\0', ' ');
        return text.codePointCount(0, text.length()) <= MAX_HEADER
                ? text
                : text.substring(0, text.offsetByCodePoints(0, MAX_HEADER)) + "…";
    }

    /** The key of the row: as long as the column allows, and the same on every node. */
    String eventId(String messageId) {
        return Ulid.fromBytes(digest("id", messageId.getBytes(StandardCharsets.UTF_8)));
    }

    private byte[] digest(String kind, byte[] bytes) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            sha.update((group.length() + ":" + group + ":" + kind + ":").getBytes(StandardCharsets.UTF_8));
            return Arrays.copyOf(sha.digest(bytes), ID_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static @Nullable String textOf(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
