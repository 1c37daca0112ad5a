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
import outbox.util.StoredError;

/**
 * Reads records in the formats of {@code outbox-kafka}, Debezium's outbox event router and CloudEvents in binary mode. Other
 * records have their topic as type and topic, partition and offset as id. Stateless, thread-safe.
 */
public final class KafkaMessages {
    /** The type of a record for which the mapping failed; the header {@value #ERROR} says why. */
    public static final String UNMAPPED = "inbox.unmapped";

    private static final String ERROR = "inbox-mapping-error";
    private static final int MAX_KEY = 128;

    private KafkaMessages() {}

    public static InboxMessage of(ConsumerRecord<byte @Nullable [], byte @Nullable []> record) {
        Map<String, String> headers = new LinkedHashMap<>();
        for (Header header : record.headers()) {
            if (header.value() != null) {
                headers.put(header.key(), textOrBase64(header.value()));
            }
        }
        String position = record.partition() + "@" + record.offset();
        String type = first(headers, "eventType", "ce_type");
        InboxMessage.Builder message = InboxMessage.builder(type == null ? record.topic() : type)
                .id(idOf(headers, record.topic() + "/" + position))
                .key(keyOf(record.key()))
                .tenantId(first(headers, "tenantId", "ce_tenantid"))
                .source(record.topic())
                .position(position)
                .headers(headers);
        byte[] value = record.value();
        return value == null ? message.build() : message.payload(value).build();
    }

    static InboxMessage unmapped(
            ConsumerRecord<byte @Nullable [], byte @Nullable []> record, RuntimeException failure) {
        String position = record.partition() + "@" + record.offset();
        InboxMessage.Builder message = InboxMessage.builder(UNMAPPED)
                .id(record.topic() + "/" + position)
                .key(keyOf(record.key()))
                .source(record.topic())
                .position(position)
                .header(ERROR, String.valueOf(StoredError.of(failure)));
        byte[] value = record.value();
        return value == null ? message.build() : message.payload(value).build();
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
