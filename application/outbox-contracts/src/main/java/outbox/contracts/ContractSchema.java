package outbox.contracts;

import java.util.List;
import java.util.function.BiConsumer;
import outbox.EventEnvelope;

/** A schema in a {@link ContractLanguage}. Immutable and thread-safe. */
public interface ContractSchema {
    /** The media type of payloads with this schema. */
    String contentType();

    /**
     * What is wrong with an event: the place and the rule, never the value.
     *
     * @return empty if its payload is valid
     */
    List<String> problemsOf(EventEnvelope event);

    /**
     * Finds what breaks readers of this schema when they receive events of the next one.
     *
     * @param next possibly in another language
     * @param change gets the path in the payload and the difference
     */
    void compare(ContractSchema next, BiConsumer<String, String> change);

    /** The reason the schema gives for breaking readers of earlier ones; empty if it gives none. */
    default String accepted() {
        return "";
    }
}
