package outbox.kafka;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.spi.NameTemplate;

/** Creates the record of an event. Immutable and thread-safe. */
final class RecordMaker {
    private static final Pattern TOPIC = Pattern.compile("[a-zA-Z0-9._-]{1,249}");

    private final NameTemplate topic;
    private final KafkaFormat format;
    private final @Nullable URI source;
    private final boolean framed;

    RecordMaker(NameTemplate topic, KafkaFormat format, @Nullable URI source) {
        this(topic, format, source, false);
    }

    RecordMaker(NameTemplate topic, KafkaFormat format, @Nullable URI source, boolean framed) {
        this.topic = topic;
        this.format = format;
        this.source = source;
        this.framed = framed;
    }

    /** @throws RecordRefusedException if the event has no topic */
    ProducerRecord<byte @Nullable [], byte[]> recordOf(EventEnvelope event) {
        Map<String, @Nullable String> headers = new LinkedHashMap<>(event.headers());
        byte[] value = switch (format) {
            case DEBEZIUM -> {
                headers.putAll(debeziumHeaders(event));
                yield valueOf(event);
            }
            case CLOUDEVENTS_BINARY -> {
                headers.putAll(new KafkaCloudEvent(event, source).binaryHeaders());
                yield valueOf(event);
            }
            case CLOUDEVENTS_STRUCTURED -> {
                headers.putAll(KafkaCloudEvent.structuredHeaders());
                yield new KafkaCloudEvent(event, source).structuredValue();
            }
        };
        String key = event.aggregateId();
        ProducerRecord<byte @Nullable [], byte[]> record =
                new ProducerRecord<>(topicOf(event), key == null ? null : utf8(key), value);
        headers.forEach((name, text) -> record.headers().add(name, text == null ? null : utf8(text)));
        return record;
    }

    private byte[] valueOf(EventEnvelope event) {
        return framed ? RegistryFrame.of(event) : event.payloadBytes();
    }

    private String topicOf(EventEnvelope event) {
        String name = topic.nameFor(event);
        if (name == null) {
            throw new RecordRefusedException(
                    "event " + event.eventId() + " has no value for a placeholder of topic " + topic, null);
        }
        if (!TOPIC.matcher(name).matches() || name.equals(".") || name.equals("..")) {
            throw new RecordRefusedException(
                    "event " + event.eventId() + " has the topic '" + name + "', which is not a valid topic name",
                    null);
        }
        return name;
    }

    private static Map<String, String> debeziumHeaders(EventEnvelope event) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("id", event.eventId());
        headers.put("eventType", event.eventType());
        headers.put("occurredAt", event.occurredAt().toString());
        if (event.tenantId() != null) {
            headers.put("tenantId", event.tenantId());
        }
        return headers;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
