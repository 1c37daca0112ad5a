package outbox.domain.jackson;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import java.io.IOException;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import outbox.domain.BaseDomainEvent;
import outbox.domain.type.PayloadSerializer;
import outbox.domain.type.Upcaster;

/** JSON by Jackson 2. Thread-safe. */
public final class Jackson2PayloadSerializer implements PayloadSerializer {
    private final ObjectMapper mapper;

    /** With a default mapper: ISO times, modules from the class path, unknown fields ignored. */
    public Jackson2PayloadSerializer() {
        this(JsonMapper.builder()
                .addModule(isoInstants())
                .findAndAddModules()
                .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build());
    }

    /** With a copy of the application's mapper. */
    public Jackson2PayloadSerializer(ObjectMapper mapper) {
        this.mapper = mapper.copy().addMixIn(BaseDomainEvent.class, ByFields.class);
    }

    @Override
    public String serialize(Object value) {
        try {
            return mapper.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    value.getClass().getName() + " cannot be written as JSON: " + e.getOriginalMessage(), e);
        }
    }

    @Override
    public <T> T deserialize(String json, Class<T> type) {
        try {
            return mapper.readValue(json, type);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not the JSON of a " + type.getName() + ": " + problem(e));
        } catch (RuntimeException e) { // thrown by a class or deserializer and not wrapped by the mapper
            throw new IllegalArgumentException(
                    "not the JSON of a " + type.getName() + ": " + e.getClass().getSimpleName());
        }
    }

    /** Error class and location only: messages of Jackson and its causes may contain values of the payload. */
    private static String problem(JsonProcessingException e) {
        String what = e.getClass().getSimpleName();
        if (e instanceof JsonMappingException mapping && !mapping.getPath().isEmpty()) {
            return what + " at "
                    + mapping.getPath().stream()
                            .map(step ->
                                    step.getFieldName() == null ? "[" + step.getIndex() + "]" : step.getFieldName())
                            .collect(Collectors.joining("."));
        }
        JsonLocation place = e.getLocation();
        return place == null ? what : what + " in line " + place.getLineNr() + ", column " + place.getColumnNr();
    }

    /** An upcaster that changes the payload as a tree. */
    public Upcaster upcaster(String eventType, int fromVersion, Consumer<ObjectNode> change) {
        return Upcaster.of(eventType, fromVersion, json -> {
            try {
                JsonNode tree = mapper.readTree(json);
                change.accept((ObjectNode) tree);
                return mapper.writeValueAsString(tree);
            } catch (JsonProcessingException e) {
                throw new IllegalArgumentException("not a JSON object: " + problem(e));
            }
        });
    }

    @JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.ANY)
    private interface ByFields {}

    /** Jackson 2 supports {@code java.time} only with a module, and every event has an {@link Instant}. */
    private static SimpleModule isoInstants() {
        return new SimpleModule("outbox-instants")
                .addSerializer(Instant.class, new StdScalarSerializer<>(Instant.class) {
                    @Override
                    public void serialize(Instant time, JsonGenerator out, SerializerProvider context)
                            throws IOException {
                        out.writeString(time.toString());
                    }
                })
                .addDeserializer(Instant.class, new StdScalarDeserializer<>(Instant.class) {
                    @Override
                    public Instant deserialize(JsonParser in, DeserializationContext context) throws IOException {
                        return Instant.parse(in.getText());
                    }
                });
    }
}
