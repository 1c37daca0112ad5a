package outbox.domain.jackson;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import outbox.domain.BaseDomainEvent;
import outbox.domain.type.PayloadSerializer;
import outbox.domain.type.Upcaster;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** JSON by Jackson 3. Thread-safe. */
public final class Jackson3PayloadSerializer implements PayloadSerializer {
    private final JsonMapper mapper;

    /** With a default mapper: ISO times, modules from the class path, unknown fields ignored. */
    public Jackson3PayloadSerializer() {
        this(JsonMapper.builder()
                .findAndAddModules()
                .disable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build());
    }

    /** With the settings of the application's mapper. */
    public Jackson3PayloadSerializer(JsonMapper mapper) {
        this.mapper =
                mapper.rebuild().addMixIn(BaseDomainEvent.class, ByFields.class).build();
    }

    @Override
    public String serialize(Object value) {
        try {
            return mapper.writeValueAsString(value);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(
                    value.getClass().getName() + " cannot be written as JSON: " + e.getOriginalMessage(), e);
        }
    }

    @Override
    public <T> T deserialize(String json, Class<T> type) {
        try {
            return mapper.readValue(json, type);
        } catch (JacksonException e) {
            throw new IllegalArgumentException("not the JSON of a " + type.getName() + ": " + problem(e));
        } catch (RuntimeException e) { // thrown by a class or deserializer and not wrapped by the mapper
            throw new IllegalArgumentException(
                    "not the JSON of a " + type.getName() + ": " + e.getClass().getSimpleName());
        }
    }

    /** Error class and location only: messages of Jackson and its causes may contain values of the payload. */
    private static String problem(JacksonException e) {
        String what = e.getClass().getSimpleName();
        if (!e.getPath().isEmpty()) {
            return what + " at "
                    + e.getPath().stream()
                            .map(step -> step.getPropertyName() == null
                                    ? "[" + step.getIndex() + "]"
                                    : step.getPropertyName())
                            .collect(Collectors.joining("."));
        }
        TokenStreamLocation place = e.getLocation();
        return place == null ? what : what + " in line " + place.getLineNr() + ", column " + place.getColumnNr();
    }

    /** An upcaster that changes the payload as a tree. */
    public Upcaster upcaster(String eventType, int fromVersion, Consumer<ObjectNode> change) {
        return Upcaster.of(eventType, fromVersion, json -> {
            try {
                JsonNode tree = mapper.readTree(json);
                change.accept((ObjectNode) tree);
                return mapper.writeValueAsString(tree);
            } catch (JacksonException e) {
                throw new IllegalArgumentException("not a JSON object: " + problem(e));
            }
        });
    }

    @JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.ANY)
    private interface ByFields {}
}
