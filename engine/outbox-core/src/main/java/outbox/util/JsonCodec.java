package outbox.util;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Headers to JSON and back: a flat object with string values. Projects that have Jackson or Gson may bring their own;
 * implementations must be thread-safe.
 */
public interface JsonCodec {
    /** The built-in codec that needs no library. */
    static JsonCodec getDefault() {
        return DefaultJsonCodec.INSTANCE;
    }

    /**
     * @return the JSON object, or {@code null} for a null or empty map
     * @throws IllegalArgumentException if a key is null
     */
    @Nullable
    String toJson(@Nullable Map<String, String> headers);

    /**
     * @return the entries; empty for {@code null}, an empty string or {@code "null"}
     * @throws IllegalArgumentException if the text is not a flat JSON object of strings
     */
    Map<String, String> parseObject(@Nullable String json);
}
