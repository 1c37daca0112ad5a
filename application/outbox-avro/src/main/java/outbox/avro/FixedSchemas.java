package outbox.avro;

import java.util.Map;
import org.apache.avro.Schema;
import outbox.domain.type.SchemaIds;
import outbox.domain.type.UnreadableEventException;

/** Schemas by ids that the application gives. Immutable. */
final class FixedSchemas implements SchemaIds {
    private final Map<Integer, Schema> schemas;

    FixedSchemas(Map<Integer, Schema> schemas) {
        this.schemas = Map.copyOf(schemas);
    }

    @Override
    public int idOf(String eventType, String schema) {
        Schema wanted = new Schema.Parser().parse(schema);
        return schemas.entrySet().stream()
                .filter(entry -> entry.getValue().equals(wanted))
                .mapToInt(Map.Entry::getKey)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the schema " + wanted.getFullName() + " of event type "
                        + eventType + " has no id; known are the ids " + schemas.keySet() + ": give it one"));
    }

    @Override
    public String schemaOf(int id) {
        Schema schema = schemas.get(id);
        if (schema == null) {
            throw new UnreadableEventException(
                    "there is no schema with the id " + id + "; known are " + schemas.keySet(), null);
        }
        return schema.toString();
    }
}
