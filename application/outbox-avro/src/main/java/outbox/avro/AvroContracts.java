package outbox.avro;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.SchemaCompatibility.Incompatibility;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import outbox.EventEnvelope;
import outbox.PayloadHeaders;
import outbox.contracts.BreakingChange;
import outbox.contracts.ContractLanguage;
import outbox.contracts.ContractSchema;

/** Contracts in files {@code <event type>.v<version>.avsc}, compared by Avro's own rules. Found by outbox-contracts. */
public final class AvroContracts implements ContractLanguage {
    @Override
    public String extension() {
        return "avsc";
    }

    @Override
    public ContractSchema parse(byte[] file) {
        try {
            return new AvroContract(new Schema.Parser().parse(new String(file, StandardCharsets.UTF_8)));
        } catch (RuntimeException e) { // also a NullPointerException, for a type that is not known
            throw new IllegalArgumentException("it is not an Avro schema: " + e.getMessage(), e);
        }
    }

    private record AvroContract(Schema schema) implements ContractSchema {
        @Override
        public String contentType() {
            return AvroFormat.CONTENT_TYPE;
        }

        @Override
        public List<String> problemsOf(EventEnvelope event) {
            if (!PayloadHeaders.isOf(AvroFormat.CONTENT_TYPE, event)) {
                return List.of("its header " + PayloadHeaders.CONTENT_TYPE + " is not " + AvroFormat.CONTENT_TYPE);
            }
            BinaryDecoder decoder = DecoderFactory.get().binaryDecoder(event.payloadBytes(), null);
            try {
                new GenericDatumReader<>(schema).read(null, decoder);
                return decoder.isEnd() ? List.of() : List.of("/ there are bytes behind the record");
            } catch (IOException | RuntimeException e) {
                return List.of("/ it does not have the schema of its contract");
            }
        }

        /** Code of the old contract reads events of the new one: the old schema is the reader's. */
        @Override
        public void compare(ContractSchema next, BiConsumer<String, String> change) {
            if (!(next instanceof AvroContract now)) {
                change.accept("/", "it is no longer in Avro: readers do not understand the bytes");
                return;
            }
            List<Incompatibility> found =
                    new ArrayList<>(SchemaCompatibility.checkReaderWriterCompatibility(schema, now.schema)
                            .getResult()
                            .getIncompatibilities());
            found.forEach(one -> change.accept(
                    one.getLocation(), one.getType() + ": " + one.getMessage() + "; Avro cannot resolve it"));
        }

        @Override
        public String accepted() {
            Object reason = schema.getObjectProp(BreakingChange.ACCEPTED);
            return reason instanceof String text ? text : "";
        }
    }
}
