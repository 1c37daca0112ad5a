package outbox.avro;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.Schema;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificDatumWriter;
import org.apache.avro.specific.SpecificRecord;
import outbox.EventEnvelope;
import outbox.PayloadHeaders;
import outbox.domain.type.PayloadFormat;
import outbox.domain.type.SchemaIds;
import outbox.domain.type.UnreadableEventException;

/**
 * Events of classes that Avro generated, in Avro's binary encoding. The id of the schema an event was written with is a
 * header; readers of another version resolve it by Avro's rules, so no upcasters are needed. Thread-safe.
 *
 * <pre>{@code
 * AvroFormat avro = AvroFormat.of(Map.of(17, OrderPlaced.getClassSchema()));
 * PayloadSerializer serializer = PayloadSerializers.detect().with(avro);
 * }</pre>
 */
public final class AvroFormat implements PayloadFormat {
    static final String CONTENT_TYPE = "application/avro";

    private final SchemaIds ids;
    private final Map<Integer, Schema> parsed = new ConcurrentHashMap<>();
    private final Map<String, Integer> known = new ConcurrentHashMap<>();

    private AvroFormat(SchemaIds ids) {
        this.ids = Objects.requireNonNull(ids, "ids");
    }

    /** With a schema registry of yours; each schema is asked for once. */
    public static AvroFormat of(SchemaIds ids) {
        return new AvroFormat(ids);
    }

    /** With ids you give yourself. Keep the schemas of all versions that may be in the table. */
    public static AvroFormat of(Map<Integer, Schema> schemas) {
        return new AvroFormat(new FixedSchemas(schemas));
    }

    @Override
    public String contentType() {
        return CONTENT_TYPE;
    }

    @Override
    public boolean supports(Class<?> type) {
        return SpecificRecord.class.isAssignableFrom(type);
    }

    @Override
    public Encoded encode(Object event, String eventType) {
        SpecificRecord datum = (SpecificRecord) event;
        Schema schema = datum.getSchema();
        int id = known.computeIfAbsent(eventType + " " + schema, key -> ids.idOf(eventType, schema.toString()));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
        try {
            new SpecificDatumWriter<SpecificRecord>(schema).write(datum, encoder);
            encoder.flush();
        } catch (IOException | RuntimeException e) {
            throw new IllegalArgumentException(
                    event.getClass().getName() + " cannot be written as " + schema.getFullName(), e);
        }
        return new Encoded(bytes.toByteArray(), Map.of(PayloadHeaders.SCHEMA_ID, Integer.toString(id)));
    }

    @Override
    public <T> T decode(EventEnvelope event, Class<T> type) {
        OptionalInt id = PayloadHeaders.schemaId(event);
        if (id.isEmpty()) {
            throw new UnreadableEventException(
                    event + " is in Avro, but has no header " + PayloadHeaders.SCHEMA_ID, null);
        }
        Schema writer = parsed.computeIfAbsent(id.getAsInt(), this::schemaOf);
        Schema reader = SpecificData.get().getSchema(type);
        BinaryDecoder decoder = DecoderFactory.get().binaryDecoder(event.payloadBytes(), null);
        try {
            T read = type.cast(new SpecificDatumReader<Object>(writer, reader).read(null, decoder));
            if (!decoder.isEnd()) {
                throw new IOException("there are bytes behind the record");
            }
            return read;
        } catch (IOException | RuntimeException e) {
            throw new UnreadableEventException(
                    "payload of " + event + " cannot be read as " + type.getName() + " with schema " + id.getAsInt(),
                    e);
        }
    }

    private Schema schemaOf(int id) {
        String text = ids.schemaOf(id);
        try {
            return new Schema.Parser().parse(text);
        } catch (RuntimeException e) {
            throw new UnreadableEventException("schema " + id + " is not an Avro schema", e);
        }
    }
}
