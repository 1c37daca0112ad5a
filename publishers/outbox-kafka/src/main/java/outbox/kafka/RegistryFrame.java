package outbox.kafka;

import java.io.ByteArrayOutputStream;
import java.util.regex.Pattern;
import outbox.EventEnvelope;
import outbox.PayloadHeaders;

/**
 * The value of a record as deserializers of schema registries expect it: a zero byte, the id of the schema in four bytes, for
 * Protocol Buffers the place of the message in its file, and the payload. Stateless.
 */
final class RegistryFrame {
    private static final byte MAGIC = 0;
    private static final Pattern INDEXES = Pattern.compile("\\d{1,9}(,\\d{1,9}){0,99}");
    private static final String PROTOBUF = "application/protobuf";
    private static final String PROTOBUF_BY_ANOTHER_NAME = "application/x-protobuf";

    private RegistryFrame() {}

    /** @throws RecordRefusedException if the event does not say what its schema is */
    static byte[] of(EventEnvelope event) {
        int id = PayloadHeaders.schemaId(event)
                .orElseThrow(() -> new RecordRefusedException(
                        "event " + event.eventId() + " has no header " + PayloadHeaders.SCHEMA_ID
                                + ", which records with schema framing need",
                        null));
        ByteArrayOutputStream value = new ByteArrayOutputStream();
        value.write(MAGIC);
        for (int shift = 24; shift >= 0; shift -= 8) {
            value.write(id >>> shift);
        }
        if (PayloadHeaders.isOf(PROTOBUF, event) || PayloadHeaders.isOf(PROTOBUF_BY_ANOTHER_NAME, event)) {
            writeIndexes(event, value);
        }
        value.writeBytes(event.payloadBytes());
        return value.toByteArray();
    }

    /** A count and that many indexes, as variable-length zigzag numbers; the first message of a file is a single zero. */
    private static void writeIndexes(EventEnvelope event, ByteArrayOutputStream value) {
        String indexes = event.headers().getOrDefault(PayloadHeaders.SCHEMA_INDEXES, "0");
        if (!INDEXES.matcher(indexes).matches()) {
            throw new RecordRefusedException(
                    "event " + event.eventId() + " has the header " + PayloadHeaders.SCHEMA_INDEXES + " '" + indexes
                            + "', which is not a list of numbers",
                    null);
        }
        if (indexes.equals("0")) {
            value.write(0);
            return;
        }
        String[] each = indexes.split(",", -1);
        writeNumber(each.length, value);
        for (String index : each) {
            writeNumber(Integer.parseInt(index), value);
        }
    }

    private static void writeNumber(int number, ByteArrayOutputStream value) {
        long zigzag = (long) number << 1;
        while (zigzag > 0x7f) {
            value.write((int) (zigzag & 0x7f) | 0x80);
            zigzag >>>= 7;
        }
        value.write((int) zigzag);
    }
}
