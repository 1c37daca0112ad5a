package outbox.inbox.kafka;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import outbox.inbox.InboxMessage;
import outbox.inbox.MessageFormats;
import outbox.util.StoredError;

/**
 * Reads records in the formats of {@code outbox-kafka}, Debezium's outbox event router and CloudEvents in binary and structured
 * mode. Other records have their topic as type and topic, partition and offset as id. Stateless, thread-safe.
 */
public final class KafkaMessages {
    /** The type of a record for which the mapping failed; the header {@value #ERROR} says why. */
    public static final String UNMAPPED = "inbox.unmapped";

    private static final String ERROR = "inbox-mapping-error";
    private static final int MAX_KEY = 128;

    private KafkaMessages() {}

    /** Key and value as bytes, as text, or the key as anything that a text can be made of. */
    public static InboxMessage of(ConsumerRecord<?, ?> record) {
        byte[] value = bytesOf(record.value());
        Map<String, String> headers = new LinkedHashMap<>();
        for (Header header : record.headers()) {
            if (header.value() != null) {
                headers.put(header.key(), textOrBase64(header.value()));
            }
        }
        String position = positionOf(record);
        InboxMessage.Builder message;
        if (value != null && MessageFormats.isStructuredCloudEvent(headers.get("content-type"))) {
            message = MessageFormats.structuredCloudEvent(value).headers(headers);
        } else {
            String type = first(headers, "eventType", "ce_type");
            message = InboxMessage.builder(type == null ? record.topic() : type)
                    .id(idOf(headers, record.topic() + "/" + position))
                    .tenantId(first(headers, "tenantId", "ce_tenantid"))
                    .headers(headers);
            if (value != null) {
                message.payload(value);
            }
        }
        String key = keyOf(bytesOfKey(record.key()));
        if (key != null) {
            message.key(key);
        }
        return message.source(record.topic()).position(position).build();
    }

    static InboxMessage unmapped(ConsumerRecord<?, ?> record, byte @Nullable [] value, Throwable failure) {
        InboxMessage.Builder message = InboxMessage.builder(UNMAPPED)
                .id(record.topic() + "/" + positionOf(record))
                .key(keyOf(bytesOfKey(record.key())))
                .source(record.topic())
                .position(positionOf(record))
                .header(ERROR, String.valueOf(StoredError.of(failure)));
        return value == null ? message.build() : message.payload(value).build();
    }

    private static String positionOf(ConsumerRecord<?, ?> record) {
        return record.partition() + "@" + record.offset();
    }

    private static byte @Nullable [] bytesOf(@Nullable Object value) {
        if (value == null || value instanceof byte[]) {
            return (byte[]) value;
        }
        if (value instanceof String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        throw new IllegalArgumentException("the value is a " + value.getClass().getName()
                + ", and the inbox needs it as it was sent: consume with ByteArrayDeserializer or StringDeserializer");
    }

    private static byte @Nullable [] bytesOfKey(@Nullable Object key) {
        return key == null || key instanceof byte[]
                ? (byte[]) key
                : key.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** The id of a CloudEvent is unique within its source only. */
    private static String idOf(Map<String, String> headers, String place) {
        String id = first(headers, "id");
        if (id != null) {
            return id;
        }
        String cloudEvent = first(headers, "ce_id");
        return cloudEvent == null ? place : headers.get("ce_source") + "/" + cloudEvent;
    }

    private static @Nullable String first(Map<String, String> headers, String... names) {
        for (String name : names) {
            String value = headers.get(name);
            if (value != null && !value.isBlank()) {
                return value;
            }
        }
        return null;
    }

    /** A key that is no short text still orders its messages: by a digest of it. */
    private static @Nullable String keyOf(byte @Nullable [] key) {
        if (key == null || key.length == 0) {
            return null;
        }
        String text = text(key);
        return text != null && text.length() <= MAX_KEY && !text.isBlank() ? text : digest(key);
    }

    private static String digest(byte[] bytes) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
            return "sha256:" + Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static String textOrBase64(byte[] bytes) {
        String text = text(bytes);
        return text == null ? "base64:" + Base64.getEncoder().encodeToString(bytes) : text;
    }

    /** {@code null} if it is not UTF-8, or has a character that PostgreSQL cannot store. */
    private static @Nullable String text(byte[] bytes) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return text.indexOf('\0') < 0 ? text : null;
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
